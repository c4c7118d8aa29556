// A lock of one's own, in the shape that the check-up examines: holdfast checkup --subject examples/my-lock.mjs
//
// It does what one Redis can do: the value says whose it is, one script takes the lock and numbers the grant, and the
// client stops believing before the server does. A guard that checks the numbers makes it safe when its holder is
// stopped. A failover loses the counter with the lock, and the check-up shows what that costs.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

const ACQUIRE = `
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return redis.call('incr', KEYS[2]) end
return 0`;

const RELEASE = `
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0`;

export default {
  name: 'my-lock',

  async open({ url }) {
    const redis = new Redis(url);
    redis.on('error', () => {}); // a request that cannot be sent rejects by itself

    return {
      async acquire(name, { ttlMs, waitMs }) {
        const owner = randomUUID();
        const giveUpAt = performance.now() + waitMs;
        for (;;) {
          const validUntil = performance.now() + ttlMs; // counted from before the request leaves
          const token = await redis.eval(ACQUIRE, 2, name, `${name}:token`, owner, ttlMs);
          if (token > 0) {
            return {
              fencingToken: String(token),
              believes: () => performance.now() < validUntil,
              release: () => redis.eval(RELEASE, 1, name, owner),
            };
          }
          if (performance.now() >= giveUpAt) return null;
          await sleep(50);
        }
      },
      close: async () => redis.disconnect(),
    };
  },
};
