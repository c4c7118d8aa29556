/**
 * Locks in PostgreSQL, on the pool that the program already has, and safe behind a transaction pooler.
 *
 * A lock is a row with an owner and an expiry in the server's own time (`clock_timestamp()`); waiters are rows of a
 * queue. Each step (acquire, heartbeat, renew, release, …) is one call of a function in the database (`statements/`):
 * one transaction, one round trip, and no row is locked while a client thinks. Whoever releases gives the lock to the
 * first live waiter in that same transaction, and notifies that one's process if it listens.
 *
 * One connection of the pool listens for all waiters of a backend object; behind a pooler, where LISTEN is heard by
 * nobody, they ask by one statement for all of them. Nobody waits inside a transaction, or in the server.
 *
 * A session lock (`session: true`) is an advisory lock on a connection of its own instead: it ends with the connection,
 * so that a killed holder frees it at once.
 *
 * Where it can fail: a failover to a standby that had not received the last grant forgets it, and its token; the clock
 * of the server must not jump ahead.
 *
 * @module
 */
import { type Clock, systemClock } from '../../core/clock.ts';
import { checkBoolean, checkKeys } from '../../core/options.ts';
import { checkTokenSource } from '../../sql/database.ts';
import { SqlSessionBackend } from '../../sql/session-backend.ts';
import { PostgresBackend } from './backend.ts';
import { isClient, isPool, type PostgresConnection, type PostgresPool, type PostgresQueries } from './client.ts';
import { PostgresSessions } from './session.ts';
import { ddl as ddlOf } from './statements/statements.ts';

export type { PostgresConnection, PostgresPool, PostgresQueries, PostgresResult } from './client.ts';
export { PostgresBackend };

export interface PostgresBackendOptions {
  /** The schema of the tables and functions. Default: where the connection's `search_path` leads. */
  readonly schema?: string;
  /** Whether one connection of the pool listens, so that waiters are told of their turn. Default true. */
  readonly listen?: boolean;
  /**
   * The name of this database, for guards: tokens of two databases do not compare, and a guard refuses those of another
   * name. Say it where a resource may ever meet the locks of two. Default `postgres`, followed by the schema if you name one.
   */
  readonly tokenSource?: string;
  /** For tests. */
  readonly clock?: Clock;
}

export interface PostgresSessionOptions {
  /** An advisory lock on a connection of its own, in place of the lease row. */
  readonly session: true;
  /** Locks of different namespaces have nothing to do with each other. Default: none. */
  readonly namespace?: string;
  /** There is a pooler in between, and it is known to be in session mode. Default false: a pooler is refused. */
  readonly sessionPooler?: boolean;
  /** For tests. */
  readonly clock?: Clock;
}

export type PostgresSessionBackend = SqlSessionBackend<PostgresConnection>;

/**
 * Locks in PostgreSQL. `client` is a `Pool` of `pg`, or anything with `query(text, values)` whose every call is a
 * transaction of its own.
 *
 * Nothing is made in the database by itself: `await backend.createTables()` does it, or `ddl()` in your migrations. A
 * session lock needs no tables, and a `Pool`.
 */
export function postgresBackend(client: PostgresQueries, options?: PostgresBackendOptions): PostgresBackend;
export function postgresBackend(client: PostgresPool, options: PostgresSessionOptions): PostgresSessionBackend;
export function postgresBackend(
  client: PostgresQueries,
  options: PostgresBackendOptions | PostgresSessionOptions = {},
): PostgresBackend | PostgresSessionBackend {
  if (typeof client !== 'object' || client === null || typeof client.query !== 'function') {
    throw new TypeError('postgresBackend needs a Pool of pg, or an object with query(text, values).');
  }
  if (isClient(client)) {
    throw new TypeError(
      'postgresBackend needs a Pool of pg, and was given a Client: whatever transaction a program opens on its one connection would undo a lock together with itself. `new pg.Pool({ max: 1 })` is a pool of one.',
    );
  }
  if ('session' in options && options.session) return sessionBackend(client, options);
  checkKeys('The options of postgresBackend', options, ['session', 'schema', 'listen', 'tokenSource', 'clock']);
  const { schema, listen = true, clock = systemClock } = options as PostgresBackendOptions;
  const { tokenSource = schema === undefined ? 'postgres' : `postgres:${schema}` } = options as PostgresBackendOptions;
  return new PostgresBackend(client, {
    prefix: prefixOf(schema),
    listen: checkBoolean('listen', listen),
    tokenSource: checkTokenSource(tokenSource),
    clock,
  });
}

function sessionBackend(client: PostgresQueries, options: PostgresSessionOptions): PostgresSessionBackend {
  checkKeys('The options of a session lock', options, ['session', 'namespace', 'sessionPooler', 'clock']);
  const { namespace = '', sessionPooler = false, clock = systemClock } = options;
  if (!isPool(client)) throw new TypeError('A session lock needs a Pool of pg, from which it takes one connection.');
  if (typeof namespace !== 'string') throw new TypeError('The option namespace must be a string.');
  const settings = { namespace, sessionPooler: checkBoolean('sessionPooler', sessionPooler) };
  return new SqlSessionBackend(new PostgresSessions(client, settings), clock);
}

/** The text that makes the tables and functions, for one `query` of a migration. May be run again, and changes no row. */
export function ddl(options: { readonly schema?: string } = {}): string {
  checkKeys('The options of ddl', options, ['schema']);
  return ddlOf(prefixOf(options.schema));
}

function prefixOf(schema: string | undefined): string {
  if (schema === undefined) return '';
  if (typeof schema !== 'string' || !/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new RangeError(
      `schema must be a plain name of lower-case letters, digits and _, and is ${JSON.stringify(schema)}.`,
    );
  }
  return `"${schema}".`;
}
