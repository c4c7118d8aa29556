/**
 * Locks in MySQL (8.0 and newer) and MariaDB (10.6 and newer), on the pool that the program already has.
 *
 * A lock is a row with an owner and an expiry in the server's own time (`UTC_TIMESTAMP(6)`); waiters are rows of a
 * queue. Each step (acquire, heartbeat, renew, release, …) is one call of a stored procedure (`statements/`): one
 * transaction, one round trip, and no row is locked while a client thinks. Whoever releases gives the lock to the first
 * live waiter in that same transaction.
 *
 * The server pushes nothing, so waiters ask whether they were handed their lock: one statement for all waiters of a
 * backend object, after 5 ms at most where one of them is the first in its line, later the more are before it and the
 * longer the line has stood still, and after 200 ms at most, with jitter. Nobody waits in the server.
 *
 * A session lock (`session: true`) is GET_LOCK on a connection of its own instead: it ends with the connection, so that
 * a killed holder frees it at once.
 *
 * Where it can fail: a failover to a replica that had not received the last grant forgets it, and its token; the clock
 * of the server must not jump ahead.
 *
 * @module
 */
import { type Clock, systemClock } from '../../core/clock.ts';
import { checkBoolean, checkKeys } from '../../core/options.ts';
import { checkTokenSource } from '../../sql/database.ts';
import { SqlSessionBackend } from '../../sql/session-backend.ts';
import { MysqlBackend } from './backend.ts';
import { type MysqlCallbackPool, type MysqlConnection, type MysqlPool, poolOf } from './client.ts';
import { MysqlSessions } from './session.ts';
import { ddlStatements } from './statements/statements.ts';

export type { MysqlCallbackPool, MysqlConnection, MysqlPool } from './client.ts';
export { MysqlBackend };

export interface MysqlBackendOptions {
  /**
   * The name of this database, for guards: tokens of two databases do not compare, and a guard refuses those of another
   * name. Say it where a resource may ever meet the locks of two. Default `mysql`.
   */
  readonly tokenSource?: string;
  /** For tests. */
  readonly clock?: Clock;
}

export interface MysqlSessionOptions {
  /** GET_LOCK on a connection of its own, in place of the lease row. */
  readonly session: true;
  /** Locks of different namespaces have nothing to do with each other. Default: none. */
  readonly namespace?: string;
  /**
   * The server is one of several that take writes (Galera, a group with several primaries), or read-only, and all programs
   * use this one. Default false: it is refused.
   */
  readonly nodeLocal?: boolean;
  /** For tests. */
  readonly clock?: Clock;
}

export type MysqlSessionBackend = SqlSessionBackend<MysqlConnection>;

/**
 * Locks in MySQL or MariaDB. `client` is a pool of `mysql2` or `mariadb`, with a database.
 *
 * Nothing is made in the database by itself: `await backend.createTables()` does it, or `ddl()` in your migrations. A
 * session lock needs no tables.
 */
export function mysqlBackend(client: MysqlPool | MysqlCallbackPool, options?: MysqlBackendOptions): MysqlBackend;
export function mysqlBackend(client: MysqlPool | MysqlCallbackPool, options: MysqlSessionOptions): MysqlSessionBackend;
export function mysqlBackend(
  client: MysqlPool | MysqlCallbackPool,
  options: MysqlBackendOptions | MysqlSessionOptions = {},
): MysqlBackend | MysqlSessionBackend {
  const pool = poolOf(client);
  const { clock = systemClock } = options;
  if (!('session' in options && options.session)) {
    checkKeys('The options of mysqlBackend', options, ['session', 'tokenSource', 'clock']);
    const { tokenSource = 'mysql' } = options as MysqlBackendOptions;
    return new MysqlBackend(pool, { tokenSource: checkTokenSource(tokenSource), clock });
  }
  checkKeys('The options of a session lock', options, ['session', 'namespace', 'nodeLocal', 'clock']);
  const { namespace = '', nodeLocal = false } = options;
  if (typeof namespace !== 'string') throw new TypeError('The option namespace must be a string.');
  const settings = { namespace, nodeLocal: checkBoolean('nodeLocal', nodeLocal) };
  return new SqlSessionBackend(new MysqlSessions(pool, settings), clock);
}

/**
 * The statements that make the tables and procedures, for a migration that runs once: one by one, since procedures
 * contain semicolons. Again they end with error 1304 (it already exists), which `createTables()` passes over.
 */
export function ddl(): readonly string[] {
  return ddlStatements;
}
