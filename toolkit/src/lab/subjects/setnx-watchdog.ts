/**
 * What people write after the first incident: an owner id that is compared before DEL, and a timer that renews every
 * TTL/3, as the watchdog of a library does.
 *
 * The timer lives in the process that it watches over, so it stops when that does; and its answer that the lock has gone
 * comes to nobody. It is here to be examined, not to be used.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Subject } from '../subject.ts';
import { openRedis } from './open-redis.ts';

const renewIfOwner = `
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end
return 0`;

const deleteIfOwner = `
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0`;

const setnxWatchdog: Subject = {
  name: 'setnx-watchdog',
  async open({ url }) {
    const redis = await openRedis(url);
    return {
      async acquire(name, { ttlMs, waitMs }) {
        const owner = randomUUID();
        const giveUpAt = performance.now() + waitMs;
        while ((await redis.set(name, owner, 'PX', ttlMs, 'NX')) !== 'OK') {
          if (performance.now() >= giveUpAt) return null;
          await sleep(50);
        }
        const watchdog = setInterval(() => {
          redis.eval(renewIfOwner, 1, name, owner, ttlMs).catch(() => {});
        }, ttlMs / 3);
        return {
          believes: () => true,
          async release() {
            clearInterval(watchdog);
            await redis.eval(deleteIfOwner, 1, name, owner);
          },
        };
      },
      async close() {
        redis.disconnect();
      },
    };
  },
};

export default setnxWatchdog;
