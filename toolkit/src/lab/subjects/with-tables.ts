import { LockError } from 'holdfast';
import { connect } from '../../connect/connect.ts';
import type { Connection } from '../../connect/connection.ts';

/** Connects to a database, and makes the tables where there are none: on a server of the lab. One of the user's has them. */
export async function connectWithTables(url: string): Promise<Connection> {
  try {
    return await connect(url);
  } catch (error) {
    if (!(error instanceof LockError && error.code === 'CONFIG')) throw error;
  }
  const connection = await connect(url, { withoutTables: true });
  await connection.createTables?.();
  return connection;
}
