/**
 * MySQL or MariaDB through `mysql2`.
 *
 * @module
 */
import { mysqlGuard } from 'holdfast/guards/mysql';
import { mysqlBackend } from 'holdfast/mysql';
import { createPool, type PoolOptions, type SslOptions } from 'mysql2/promise';
import { parseAddress, type SqlAddress, type TlsMode } from './address.ts';
import type { Connection, ConnectOptions } from './connection.ts';
import { CONNECT_TIMEOUT_MS, makeGuard, whenAnswering } from './database.ts';

/** A command needs few connections: for its steps, and for the renewals beside them. */
const MOST_CONNECTIONS = 3;

/** What the driver does in each mode. Asked for TLS, it never goes on without. */
const TLS: Readonly<Record<TlsMode, { readonly ssl?: SslOptions }>> = {
  off: {},
  encrypted: { ssl: { rejectUnauthorized: false } },
  'verified-ca': { ssl: {} },
  'verified-identity': { ssl: { verifyIdentity: true } },
};

/** What a pool needs to be told for this URL, its TLS included. Throws an `AddressError`. */
export function poolOptionsOf(url: string): PoolOptions {
  const address = parseAddress(url) as SqlAddress;
  return { uri: address.url, ...TLS[address.tls] };
}

export async function openMysql(address: SqlAddress, options: ConnectOptions): Promise<Connection> {
  const pool = createPool({
    uri: address.url,
    ...TLS[address.tls],
    connectionLimit: MOST_CONNECTIONS,
    connectTimeout: CONNECT_TIMEOUT_MS,
  });
  const backend = mysqlBackend(pool);
  let ended: Promise<void> | undefined;
  const connection: Connection = {
    description: address.description,
    backend,
    createTables: () => backend.createTables(),
    guardTable: {
      ddl: (table) => mysqlGuard({ source: backend.tokenSource, ...(table === undefined ? {} : { table }) }).ddl,
      make: (ddl) => makeGuard(() => pool.query(ddl)),
    },
    async close() {
      await backend.close();
      ended ??= pool.end();
      await ended;
    },
  };
  return whenAnswering(connection, options);
}
