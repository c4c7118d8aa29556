/**
 * MySQL or MariaDB through `mysql2`.
 *
 * @module
 */
import { mysqlGuard } from 'holdfast/guards/mysql';
import { mysqlBackend } from 'holdfast/mysql';
import { createPool } from 'mysql2/promise';
import type { SqlAddress } from './address.ts';
import type { Connection, ConnectOptions } from './connection.ts';
import { CONNECT_TIMEOUT_MS, whenAnswering } from './database.ts';

/** A command needs few connections: for its steps, and for the renewals beside them. */
const MOST_CONNECTIONS = 3;

export async function openMysql(address: SqlAddress, options: ConnectOptions): Promise<Connection> {
  const pool = createPool({
    uri: address.url,
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
      make: async (ddl) => void (await pool.query(ddl)),
    },
    async close() {
      await backend.close();
      ended ??= pool.end();
      await ended;
    },
  };
  return whenAnswering(connection, options);
}
