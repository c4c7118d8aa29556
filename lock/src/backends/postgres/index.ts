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
import { PostgresBackend } from './backend.ts';
import type { PostgresQueries } from './client.ts';
import { ddl as ddlOf } from './statements/statements.ts';

export type { PostgresConnection, PostgresPool, PostgresQueries, PostgresResult } from './client.ts';
export { PostgresBackend };

export interface PostgresBackendOptions {
  /** The schema of the tables and functions. Default: where the connection's `search_path` leads. */
  readonly schema?: string;
  /** Whether one connection of the pool listens, so that waiters are told of their turn. Default true. */
  readonly listen?: boolean;
  /** For tests. */
  readonly clock?: Clock;
}

/**
 * Locks in PostgreSQL. `client` is a `Pool` of `pg`, or anything with `query(text, values)`.
 *
 * Nothing is made in the database by itself: `await backend.createTables()` does it, or `ddl()` in your migrations.
 */
export function postgresBackend(client: PostgresQueries, options: PostgresBackendOptions = {}): PostgresBackend {
  if (typeof client !== 'object' || client === null || typeof client.query !== 'function') {
    throw new TypeError('postgresBackend needs a Pool of pg, or an object with query(text, values).');
  }
  checkKeys('The options of postgresBackend', options, ['schema', 'listen', 'clock']);
  const { schema, listen = true, clock = systemClock } = options;
  return new PostgresBackend(client, { prefix: prefixOf(schema), listen: checkBoolean('listen', listen), clock });
}

/** The text that makes the tables and functions, for a migration. May be run again, and changes no row. */
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
