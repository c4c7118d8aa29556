/**
 * Locks on etcd 3.4 or newer, with a small client of its own: nothing to install.
 *
 * Who wants a lock puts a key under its name, `<name>/<lease>-<number>`, and whoever's key was created first has it:
 * the layout of etcd's Go package `concurrency` and of `etcdctl lock`, which therefore exclude each other with Holdfast,
 * and stand in one line with it. Each waiter watches the one key before its own, so a release wakes one waiter. The
 * fencing token is the revision at which the key was created: etcd counts it, in one count for all locks.
 *
 * Keys hang on leases. All locks of one TTL of a backend object share one, so that a single call keeps thousands of locks
 * alive; with it goes a read of the keys themselves. When a process is killed its locks are free when the lease has run
 * out, not before; a leader that dies makes that up to twice the TTL, since its successor begins to count anew.
 *
 * A request that has had no answer may arrive late. It is taken back with a tombstone, which the transaction that takes a
 * lock looks for, and which hangs on the same lease: it is there for as long as the late request could succeed.
 *
 * Where it can fail: etcd gives TTLs in whole seconds, and none shorter than one and a half election timeouts (2 s by
 * default); `lease.ttlMs` says what was granted. Before 3.4.31 and 3.5.13 a leader whose disk hangs can end a lease that is
 * being renewed, after it has been deposed; the holder hears of it at its next renewal, so that two may hold for a third of a
 * TTL. And as with every lease, a holder that is stopped wakes up late: fence what it writes.
 *
 * @module
 */
import { type Clock, systemClock, systemRandom } from '../../core/clock.ts';
import { checkKeys } from '../../core/options.ts';
import { EtcdBackend } from './backend.ts';
import type { Credentials } from './client.ts';
import type { TlsOptions } from './connection.ts';
import { parseEndpoints } from './endpoints.ts';

export { type HeldClause, heldClause } from './held-clause.ts';
export type { Credentials, TlsOptions };
export { EtcdBackend };

export interface EtcdBackendOptions {
  /** The members: `host:port`, or `http://host:port`, or `https://host:port`. One that is silent is passed over. */
  readonly endpoints: readonly string[];
  /** For TLS. An empty object is enough where the certificate is signed by an authority that Node knows. */
  readonly tls?: TlsOptions;
  /** For an etcd with authentication. A login that has run out is renewed by itself. */
  readonly credentials?: Credentials;
  /**
   * Goes before the name of each lock, such as `locks/`: advisable where this etcd has other keys, needed where a role
   * grants one prefix only. Default: none, so that names are those of Go and `etcdctl lock`.
   */
  readonly keyPrefix?: string;
  /** For tests. */
  readonly clock?: Clock;
  /** For tests: numbers from 0 to 1, for jitter. */
  readonly random?: () => number;
}

const TLS_OPTIONS = ['ca', 'cert', 'key', 'passphrase', 'servername'];

/**
 * Locks on etcd. Connects at the first use.
 *
 * @example
 * const locks = createLocks(etcdBackend({ endpoints: ['10.0.0.1:2379', '10.0.0.2:2379', '10.0.0.3:2379'] }));
 */
export function etcdBackend(options: EtcdBackendOptions): EtcdBackend {
  const known = ['endpoints', 'tls', 'credentials', 'keyPrefix', 'clock', 'random'];
  checkKeys('The options of etcdBackend', options, known);
  const { endpoints, secure } = parseEndpoints(options.endpoints);
  const { credentials, keyPrefix = '', clock = systemClock, random = systemRandom } = options;
  if (options.tls !== undefined) checkKeys('The option tls', options.tls, TLS_OPTIONS);
  if (options.tls !== undefined && secure === false) {
    throw new TypeError('The option tls is given, and endpoints says http. With TLS they begin with https://.');
  }
  if (credentials !== undefined) checkCredentials(credentials);
  if (typeof keyPrefix !== 'string' || !keyPrefix.isWellFormed() || keyPrefix.includes('\0')) {
    throw new TypeError('The option keyPrefix must be well-formed text without NUL.');
  }
  const tls = options.tls ?? (secure === true ? {} : undefined);
  return new EtcdBackend({ endpoints, tls, credentials, keyPrefix, clock, random });
}

function checkCredentials(credentials: Credentials): void {
  checkKeys('The option credentials', credentials, ['user', 'password']);
  for (const part of ['user', 'password'] as const) {
    if (typeof credentials[part] !== 'string') throw new TypeError(`The option credentials.${part} must be a string.`);
  }
}
