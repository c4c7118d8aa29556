/**
 * Runs statements on the pool that was handed in, each on a connection that is taken for it. Text travels as bytes of
 * UTF-8, so that the character set of a connection changes no name.
 *
 * @module
 */
import type { Clock, Instant } from '../../core/clock.ts';
import { type ConnectionSource, useConnection } from '../../sql/connections.ts';
import type { SqlDatabase, SqlFailure, SqlRow, SqlStatements, SqlValue } from '../../sql/database.ts';
import { type MysqlConnection, type MysqlPool, rowsOf } from './client.ts';
import { understand } from './failures.ts';
import { statements } from './statements/statements.ts';
import { ROLLBACK } from './statements/steps.ts';

export class MysqlDatabase implements SqlDatabase {
  readonly id = 'mysql';
  readonly statements: SqlStatements = statements;
  readonly #connections: ConnectionSource<MysqlConnection>;
  readonly #clock: Clock;

  constructor(pool: MysqlPool, clock: Clock) {
    this.#connections = connectionsOf(pool);
    this.#clock = clock;
  }

  run(statement: string, values: readonly SqlValue[], deadline: Instant): Promise<readonly SqlRow[]> {
    return useConnection(
      this.#connections,
      this.#clock,
      deadline,
      (connection) => (statement.startsWith('CALL ') ? query : queryAnew)(connection, statement, values),
      // A step that was interrupted may have left its transaction open.
      (error) => understand(error).kind !== 'again',
    );
  }

  understand(error: unknown): SqlFailure {
    return understand(error);
  }

  async close(): Promise<void> {
    // The pool stays open: it was handed in.
  }
}

/** Rows as objects whose members are columns; a pool may be told otherwise for the queries of its own program. */
const PLAIN_ROWS = { rowsAsArray: false, nestTables: false };

/** Runs one statement on a connection, whatever its pool was told about the form of rows. */
export async function query(
  connection: MysqlConnection,
  sql: string,
  values: readonly SqlValue[] = [],
): Promise<readonly SqlRow[]> {
  const bytes = values.map((value) => (typeof value === 'string' ? Buffer.from(value) : value));
  return rowsOf(await connection.query({ sql, ...PLAIN_ROWS }, bytes));
}

/**
 * A SELECT that sees what is true now, and leaves nothing open: a connection may come out of its pool inside a
 * transaction, and with autocommit off every SELECT begins one. The steps see to that themselves.
 */
async function queryAnew(
  connection: MysqlConnection,
  sql: string,
  values: readonly SqlValue[],
): Promise<readonly SqlRow[]> {
  await query(connection, ROLLBACK);
  const rows = await query(connection, sql, values);
  await query(connection, ROLLBACK);
  return rows;
}

/** A pool as a source of connections, with a listener for their errors while we have them. */
export function connectionsOf(pool: MysqlPool): ConnectionSource<MysqlConnection> {
  return {
    what: 'MySQL',
    async take() {
      const connection = await pool.getConnection();
      connection.on('error', ignore);
      return connection;
    },
    giveBack(connection) {
      connection.removeListener('error', ignore);
      void Promise.resolve(connection.release()).catch(ignore);
    },
    discard: (connection) => void connection.destroy(), // it may complain once more, so its listener stays
  };
}

function ignore(): void {
  // Whoever was waiting for an answer on that connection has got the error.
}
