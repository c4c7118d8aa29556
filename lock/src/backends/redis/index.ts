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
import { checkBoolean, checkKeys, checkMs } from '../../core/options.ts';
import { RedisBackend } from './backend.ts';
import type { RedisCommands } from './client.ts';
import type { EvictionRule } from './health.ts';
import { checkKeyPrefix } from './layout.ts';
import type { ReplicaRule } from './replicas.ts';

export { fromGlide, type GlideCommands, type GlideOptions } from './adapters/glide.ts';
export { fromIoredis, type IoredisClient } from './adapters/ioredis.ts';
export {
  fromNodeRedis,
  type NodeRedisClient,
  type NodeRedisCluster,
  type NodeRedisSentinel,
} from './adapters/node-redis.ts';
export {
  ClientClosedError,
  NotSentError,
  type RedisCommands,
  type RedisSubscriber,
  type RedisWriter,
  type SubscriberEvents,
} from './client.ts';
export { TooFewReplicasError } from './errors.ts';
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
  /**
   * How many replicas must acknowledge a grant, and each renewal, before it counts (`WAIT`). Default 0: none. Where too few
   * do, the lock is given back and the caller gets a `TooFewReplicasError` that says how many did. It makes the loss of a
   * lock in a failover less likely and does not rule it out: another replica may be the one that is promoted.
   */
  readonly replicas?: number;
  /** How long replicas may take to acknowledge, from 1 ms; a call takes twice as long at most. Default 100. */
  readonly acknowledgeMs?: number;
  /** Whether the primary and these replicas must have it on disk, too (`WAITAOF`, Redis 7.2 and newer). Default false. */
  readonly fsync?: boolean;
}

/** As many replicas as anybody has; a larger number is a slip. */
const MOST_REPLICAS = 100;

/**
 * Locks on a Redis server.
 *
 * @example
 * const redis = new Redis(); // ioredis
 * const locks = createLocks(redisBackend(fromIoredis(redis)), { ttlMs: 30_000 });
 */
export function redisBackend(commands: RedisCommands, options: RedisBackendOptions = {}): RedisBackend {
  checkKeys('The options of redisBackend', options, [
    'keyPrefix',
    'subscriber',
    'eviction',
    'replicas',
    'acknowledgeMs',
    'fsync',
  ]);
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
    replication: replicationOf(commands, options),
  });
}

function replicationOf(commands: RedisCommands, options: RedisBackendOptions): ReplicaRule | undefined {
  const { replicas = 0, acknowledgeMs, fsync = false } = options;
  if (typeof replicas !== 'number') throw new TypeError(`replicas must be a number, and is ${typeof replicas}.`);
  if (!Number.isInteger(replicas) || replicas < 0 || replicas > MOST_REPLICAS) {
    throw new RangeError(`replicas must be a whole number from 0 to ${MOST_REPLICAS}, and is ${replicas}.`);
  }
  checkBoolean('fsync', fsync);
  if (replicas === 0 && !fsync) {
    if (acknowledgeMs === undefined) return undefined;
    throw new RangeError('acknowledgeMs is for replicas, of which there are 0; set replicas, too.');
  }
  if (commands.openWriter === undefined) {
    throw new TypeError(
      'replicas and fsync need a connection of our own, which fromIoredis and fromNodeRedis can open and this client cannot.',
    );
  }
  return { replicas, fsync, acknowledgeMs: Math.ceil(checkMs('acknowledgeMs', acknowledgeMs ?? 100, { min: 1 })) };
}
