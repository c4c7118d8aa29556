"""A program that locks with redis-py. A line is `contender verb arguments`; the answer has the contender in front, too."""

import sys

import redis

client = redis.Redis.from_url(sys.argv[1])
locks = {}


def act(contender, verb, *rest):
    if verb == "open":
        key, ttl_ms = rest
        locks[contender] = client.lock(key, timeout=int(ttl_ms) / 1000, sleep=0.01)
        return "opened"
    lock = locks[contender]
    if verb == "acquire":
        return "true" if lock.acquire(blocking_timeout=int(rest[0]) / 1000) else "false"
    if verb == "extend":
        lock.extend(int(rest[0]) / 1000, replace_ttl=True)
        return "extended"
    if verb == "release":
        try:
            lock.release()
            return "released"
        except redis.exceptions.RedisError as error:
            return "refused: " + str(error)
    return "unknown verb " + verb


for line in sys.stdin:
    words = line.split()
    print(words[0], act(*words), flush=True)
