# A lock of one's own in Python, in the shape that the check-up examines:
#   holdfast checkup --subject-command 'python3 examples/my_lock.py'
#
# It is what redis-py gives to everybody: redis.lock.Lock, which knows whose it is and releases only its own. It has no
# fencing token, so nothing can refuse what its holder writes after a pause, and the check-up finds that out.
import json
import sys
import time

import redis


class MyLock:
    def describe(self, request):
        return {"name": "redis-py"}

    def open(self, request):
        self.redis = redis.Redis.from_url(request["url"])
        self.redis.ping()
        return {}

    def acquire(self, request):
        self.lock = self.redis.lock(request["name"], timeout=request["ttlMs"] / 1000)
        give_up_at = time.monotonic() + request["waitMs"] / 1000
        while True:
            asked = time.monotonic()  # before the request leaves
            if self.lock.acquire(blocking=False):
                self.valid_until = asked + request["ttlMs"] / 1000
                return {"granted": True}
            if time.monotonic() >= give_up_at:
                return {"granted": False}
            time.sleep(0.05)

    def believes(self, request):
        return {"believes": time.monotonic() < self.valid_until}

    def release(self, request):
        try:
            self.lock.release()
        except redis.exceptions.LockError:
            pass  # It was over, and may be somebody else's by now.
        return {}

    def close(self, request):
        self.redis.close()
        return {}


my_lock = MyLock()
for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = getattr(my_lock, request["call"])(request)
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
