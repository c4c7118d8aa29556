/**
 * Locks on a majority of independent Redis or Valkey servers: the Redlock algorithm.
 *
 * Each server has one vote for a lock: a key with a TTL, set if nobody has it, as every client that uses `SET NX PX` does
 * it, the Redlock clients of npm among them. All servers are asked at once, none is waited for longer than
 * `nodeTimeoutMs`, and as soon as a majority has given its vote the lock is held. What is left of it counts from before
 * the requests left: TTL, less the time that it took, less 1 % and 2 ms for clocks that run at different rates; a grant
 * of which too little is left is given back. Who gets no majority takes back what it has, everywhere, votes that come
 * late as well, and comes again after a random pause as a new owner.
 *
 * A renewal needs a majority that still has the vote. Only then, and never in its place, is the vote put back on servers
 * that have lost it. No server keeps a queue, so waiters of one process are served in order and those of several are not.
 *
 * There is no fencing token: no two servers need count alike. Where it can fail: a server that restarts without its
 * data, or whose clock jumps ahead, gives its vote a second time, and one such server is enough where the holder has the
 * smallest majority. And as with every lease, a holder that is stopped past its end does not know it until it looks.
 *
 * @module
 */
import { checkKeys, checkMs } from '../../core/options.ts';
import type { RedisCommands } from '../redis/client.ts';
import type { EvictionRule } from '../redis/health.ts';
import { checkKeyPrefix } from '../redis/layout.ts';
import { RedlockBackend } from './backend.ts';

export type { EvictionRule, RedisCommands, RedlockBackend };

/** With fewer, no server may fail. */
const FEWEST_SERVERS = 3;

/** A limit for mistakes: nobody needs more, and every lock costs a request to each. */
const MOST_SERVERS = 31;

export interface RedlockBackendOptions {
  /**
   * How long the answer of one server is waited for; small against the TTL. Default 200 ms. Until a majority has answered
   * for the first time it is the whole time for a call, since connections are being made. A server that has said nothing
   * for as long is asked only now and then until it answers again.
   */
  readonly nodeTimeoutMs?: number;
  /**
   * What stands before the name in the lock's key. Default `holdfast:`. With an empty one the key is the name itself, to
   * share locks with clients that use `SET NX PX`.
   */
  readonly keyPrefix?: string;
  /** As for `redisBackend`: `warn` (the default), `refuse`, or `allow`. A server that is refused has no vote. */
  readonly eviction?: EvictionRule;
}

/**
 * Locks on a majority of servers that know nothing of each other: no replicas of one another, no nodes of one cluster.
 * An odd number is best: a fourth or sixth server makes it slower and not safer.
 *
 * @example
 * const servers = urls.map((url) => fromIoredis(new Redis(url)));
 * const locks = createLocks(redlockBackend(servers), { ttlMs: 30_000 });
 */
export function redlockBackend(servers: readonly RedisCommands[], options: RedlockBackendOptions = {}): RedlockBackend {
  checkKeys('The options of redlockBackend', options, ['nodeTimeoutMs', 'keyPrefix', 'eviction']);
  checkServers(servers);
  const { nodeTimeoutMs = 200, keyPrefix = 'holdfast:', eviction = 'warn' } = options;
  if (!['warn', 'refuse', 'allow'].includes(eviction)) {
    throw new RangeError(`eviction must be 'warn', 'refuse' or 'allow', and is ${String(eviction)}.`);
  }
  return new RedlockBackend(servers, {
    nodeTimeoutMs: checkMs('nodeTimeoutMs', nodeTimeoutMs, { min: 5, max: 60_000 }),
    keyPrefix: checkKeyPrefix(keyPrefix),
    eviction,
  });
}

function checkServers(servers: unknown): void {
  if (!Array.isArray(servers) || servers.some((server) => typeof server?.send !== 'function')) {
    throw new TypeError(
      'redlockBackend needs a list of what fromIoredis, fromNodeRedis or fromGlide makes of clients.',
    );
  }
  if (servers.length < FEWEST_SERVERS || servers.length > MOST_SERVERS) {
    throw new RangeError(
      `redlockBackend needs from ${FEWEST_SERVERS} to ${MOST_SERVERS} servers, and has ${servers.length}. With fewer, none of them could fail.`,
    );
  }
  if (new Set(servers).size < servers.length) {
    throw new TypeError('redlockBackend was given the same client twice, and a server has one vote.');
  }
  if (servers.some((server) => server.cluster === true)) {
    throw new TypeError('redlockBackend needs independent servers, and was given the client of a cluster.');
  }
}
