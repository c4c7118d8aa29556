"""A program that locks with kazoo. A line is `contender verb arguments`; the answer has the contender in front, too."""

import sys

from kazoo.client import KazooClient
from kazoo.exceptions import LockTimeout

client = KazooClient(hosts=sys.argv[1], timeout=4)
client.start()
locks = {}


def act(contender, verb, *rest):
    if verb == "open":
        path, *patterns = rest
        locks[contender] = client.Lock(path, extra_lock_patterns=patterns)
        return "opened"
    lock = locks[contender]
    if verb == "try":
        try:
            return "true" if lock.acquire(timeout=int(rest[0]) / 1000) else "false"
        except LockTimeout:
            return "false"
    if verb == "release":
        lock.release()
        return "released"
    return "unknown verb " + verb


for line in sys.stdin:
    words = line.split()
    print(words[0], act(*words), flush=True)
client.stop()
