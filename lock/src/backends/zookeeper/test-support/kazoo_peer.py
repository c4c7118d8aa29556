"""A program that locks with kazoo: does what it reads, line by line, and answers each line."""

import sys

from kazoo.client import KazooClient
from kazoo.exceptions import LockTimeout

servers, path, pattern = sys.argv[1:4]
client = KazooClient(hosts=servers, timeout=4)
client.start()
lock = client.Lock(path, extra_lock_patterns=[pattern] if pattern else [])
for line in sys.stdin:
    words = line.split()
    if words[0] == "try":
        try:
            answer = lock.acquire(timeout=int(words[1]) / 1000)
        except LockTimeout:
            answer = False
        print("true" if answer else "false", flush=True)
    elif words[0] == "release":
        lock.release()
        print("released", flush=True)
client.stop()
