/**
 * PostgreSQL through `pg`.
 *
 * @module
 */
import { postgresGuard } from 'holdfast/guards/postgres';
import { postgresBackend } from 'holdfast/postgres';
import pg from 'pg';
import type { SqlAddress } from './address.ts';
import type { Connection, ConnectOptions } from './connection.ts';
import { CONNECT_TIMEOUT_MS, makeGuard, whenAnswering } from './database.ts';

/** A command needs few connections: for its steps, for the renewals beside them, and to listen. */
const MOST_CONNECTIONS = 3;

export async function openPostgres(address: SqlAddress, options: ConnectOptions): Promise<Connection> {
  const pool = new pg.Pool({
    connectionString: address.url,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'holdfast',
  });
  pool.on('error', () => {}); // an idle connection that ends; the next request opens another
  const backend = postgresBackend(pool);
  let ended: Promise<void> | undefined;
  const connection: Connection = {
    description: address.description,
    backend,
    createTables: () => backend.createTables(),
    guardTable: {
      ddl: (table) => postgresGuard({ source: backend.tokenSource, ...(table === undefined ? {} : { table }) }).ddl,
      // One simple query, and so one transaction: of two at once the second waits, and finds the table.
      make: (ddl) => makeGuard(() => pool.query(`SELECT pg_advisory_xact_lock(7238001);${ddl}`)),
    },
    async close() {
      await backend.close();
      ended ??= pool.end();
      await ended;
    },
  };
  return whenAnswering(connection, options);
}
