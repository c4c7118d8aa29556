/**
 * Is there a pooler between us and the server? One that hands a server connection to another client after each
 * transaction gives LISTEN and session locks to whoever comes next.
 *
 * At the start of a connection the server names its process; a pooler names something of its own there. Then the
 * process that answers is another one than the one that was named.
 *
 * @module
 */
import type { PostgresConnection } from './client.ts';

/** The process of the server that answers on this connection now. */
export async function serverProcess(connection: PostgresConnection): Promise<number> {
  const { rows } = await connection.query('SELECT pg_backend_pid() AS pid');
  return Number(rows[0]?.pid);
}

/** Whether the connection goes straight to the server. A driver that does not say what it was told counts as no. */
export async function isDirect(connection: PostgresConnection): Promise<boolean> {
  const named = (connection as { processID?: unknown }).processID;
  return typeof named === 'number' && named === (await serverProcess(connection));
}
