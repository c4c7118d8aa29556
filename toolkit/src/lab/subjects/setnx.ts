/**
 * The lock that most people write first: SET NX with an expiry, and DEL.
 *
 * Nothing renews it, nothing says that it is over, and DEL frees the lock whoever has it by then. It is here to be
 * examined, not to be used.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Subject } from '../subject.ts';
import { openRedis } from './open-redis.ts';

const setnx: Subject = {
  name: 'setnx',
  async open({ url }) {
    const redis = await openRedis(url);
    return {
      async acquire(name, { ttlMs, waitMs }) {
        const giveUpAt = performance.now() + waitMs;
        while ((await redis.set(name, 'locked', 'PX', ttlMs, 'NX')) !== 'OK') {
          if (performance.now() >= giveUpAt) return null;
          await sleep(50);
        }
        return {
          believes: () => true,
          async release() {
            await redis.del(name);
          },
        };
      },
      async close() {
        redis.disconnect();
      },
    };
  },
};

export default setnx;
