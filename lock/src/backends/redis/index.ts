/**
 * Locks on one Redis or Valkey server (6.2 or newer), through the client that a program already has.
 *
 * The lock is a key with a TTL: a hash in the layout of Redisson's RLock, so that Java programs with Redisson and every
 * client that uses `SET NX PX` exclude each other with Holdfast. The key ends with the TTL on the server's clock;
 * clients' clocks decide nothing. All steps are scripts, so each is one atomic step of the server, and each may be
 * asked twice: the same owner id gets the same answer.
 *
 * Who cannot have the lock stands in line beside it. A release gives the lock to the first in line in the same step and
 * publishes that to the inbox of its process alone, which needs no further round trip. Waiters show by heartbeats that
 * they live; whoever finds the key gone gives the lock to the first in line, not to itself. Fencing tokens are the
 * server's time in microseconds, or one more than the last token where that is ahead, and so go on rising when either
 * the counter or the clock is set back, though not when both are.
 *
 * Where it can fail: a failover or a restart without persistence forgets the lock, and the holder learns it at its next
 * renewal; a jump of the server's clock ends leases early; a server that evicts keys may evict locks. A guard at the
 * protected resource that compares tokens covers the first two.
 *
 * @module
 */
import { checkBoolean, checkKeys } from '../../core/options.ts';
import { RedisBackend } from './backend.ts';
import type { RedisCommands } from './client.ts';
import type { EvictionRule } from './health.ts';
import { checkKeyPrefix } from './layout.ts';

export { fromGlide, type GlideCommands, type GlideOptions } from './adapters/glide.ts';
export { fromIoredis, type IoredisClient } from './adapters/ioredis.ts';
export {
  fromNodeRedis,
  type NodeRedisClient,
  type NodeRedisCluster,
  type NodeRedisSentinel,
} from './adapters/node-redis.ts';
export { NotSentError, type RedisCommands, type RedisSubscriber, type SubscriberEvents } from './client.ts';
export type { EvictionRule, RedisBackend };

export interface RedisBackendOptions {
  /**
   * What stands before the name in the lock's key. Default `holdfast:`, so that a lock never meets a key with data.
   * With an empty one the key is the name itself, to share locks with Redisson or with clients that use `SET NX PX`.
   */
  readonly keyPrefix?: string;
  /**
   * Whether waiters are told by a second connection, which is opened when the first of them has to wait. Default true.
   * Without it they ask every 100 to 200 ms.
   */
  readonly subscriber?: boolean;
  /**
   * What to do with a server whose `maxmemory-policy` lets it throw locks away: `warn` (the default, once per process),
   * `refuse` every lock with the code `CONFIG`, or `allow`.
   */
  readonly eviction?: EvictionRule;
}

/**
 * Locks on a Redis server.
 *
 * @example
 * const redis = new Redis(); // ioredis
 * const locks = createLocks(redisBackend(fromIoredis(redis)), { ttlMs: 30_000 });
 */
export function redisBackend(commands: RedisCommands, options: RedisBackendOptions = {}): RedisBackend {
  checkKeys('The options of redisBackend', options, ['keyPrefix', 'subscriber', 'eviction']);
  if (typeof commands?.send !== 'function') {
    throw new TypeError('redisBackend needs what fromIoredis, fromNodeRedis or fromGlide makes of a client.');
  }
  const { keyPrefix = 'holdfast:', subscriber = true, eviction = 'warn' } = options;
  if (!['warn', 'refuse', 'allow'].includes(eviction)) {
    throw new RangeError(`eviction must be 'warn', 'refuse' or 'allow', and is ${String(eviction)}.`);
  }
  return new RedisBackend(commands, {
    keyPrefix: checkKeyPrefix(keyPrefix),
    subscriber: checkBoolean('subscriber', subscriber),
    eviction,
  });
}
