/**
 * Locks in ZooKeeper, on one server or an ensemble, in the layout of Apache Curator's `InterProcessMutex`: programs that use
 * either exclude each other and keep one order.
 *
 * A lock is a container node, and each contender makes an ephemeral sequential child in it. The first in the order of
 * their numbers holds the lock; everybody else watches the one before, so that a release wakes one waiter (`order.ts`,
 * `place.ts`). The node goes with its session; the session is one for all locks of a TTL (`lock-session.ts`), and the time
 * that the server grants it is the TTL of the leases. The fencing token is the node's czxid, the number of the transaction
 * that made it: it grows as long as the ensemble keeps its data, while the number in the name starts again when the
 * container was removed in between.
 *
 * A holder believes in its lease for as long as the leader certainly keeps its session: that is counted from what the
 * leader has confirmed, since a follower answers pings by itself (`client/session-time.ts`). A connection that is lost puts
 * the lease at risk; a new one takes up the same session and the lease goes on. When the server says that the session is
 * over, the lease is lost with the reason `disconnected`; when somebody has removed the node, with `broken`.
 *
 * The client is our own (`client/`). A request whose answer is lost is never sent again: after the reconnect the node is
 * looked up by its name, which comes from the owner id and the session.
 *
 * Where it can fail: without `digest` anybody who reaches the servers can remove a node. A `minSessionTimeout` below two
 * ticks breaks what the counting of the session relies on.
 *
 * @module
 */
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import { type Clock, systemClock, systemRandom } from '../../core/clock.ts';
import { checkKeys } from '../../core/options.ts';
import { ZooKeeperBackend } from './backend.ts';
import { parseConnectString } from './client/hosts.ts';
import { isPath } from './client/paths.ts';

export { ZooKeeperBackend };

export interface ZooKeeperBackendOptions {
  /** The node above all locks, made when it is missing. Default: `/holdfast`. A lock `a` is at `/holdfast/a`. */
  readonly root?: string;
  /**
   * A user and password of the digest scheme. All nodes that are made then belong to this user, and nobody else may read,
   * change or remove them. Without it all nodes are open to everybody.
   */
  readonly digest?: { readonly user: string; readonly password: string };
  /** TLS, with Node's options for it; `{}` trusts the well-known authorities. */
  readonly tls?: TlsOptions;
  /** For tests. */
  readonly clock?: Clock;
  readonly random?: () => number;
}

/**
 * Locks in ZooKeeper 3.6 or newer.
 *
 * `servers` is a connect string as ZooKeeper's own clients take it: `zk1:2181,zk2:2181,zk3:2181/chroot`. Connections are made at
 * the first use, one for each TTL, and end with `close`.
 *
 * @example
 * const locks = createLocks(zookeeperBackend('zk1:2181,zk2:2181,zk3:2181'), { ttlMs: 10_000 });
 */
export function zookeeperBackend(servers: string, options: ZooKeeperBackendOptions = {}): ZooKeeperBackend {
  if (typeof servers !== 'string') throw new TypeError('The servers of zookeeperBackend must be a connect string.');
  checkKeys('The options of zookeeperBackend', options, ['root', 'digest', 'tls', 'clock', 'random']);
  const { root = '/holdfast', digest, tls, clock = systemClock, random = systemRandom } = options;
  if (typeof root !== 'string' || (root !== '/' && !isPath(root))) {
    throw new RangeError(`The option root must be an absolute path of ZooKeeper, and is ${JSON.stringify(root)}.`);
  }
  if (digest !== undefined && (typeof digest.user !== 'string' || digest.user === '' || digest.user.includes(':'))) {
    throw new RangeError('The user in the option digest must be a text without a colon.');
  }
  if (digest !== undefined && typeof digest.password !== 'string') {
    throw new TypeError('The password in the option digest must be a string.');
  }
  return new ZooKeeperBackend({ servers: parseConnectString(servers), root, digest, tls, clock, random });
}
