/**
 * The guard in MySQL and MariaDB: a row for each protected resource with the largest token it has seen, in the
 * transaction that does the work.
 *
 * `fence` comes before the first read: the snapshot of a transaction is taken at its first plain read, so what is read
 * afterwards is what the last holder has committed. Its upsert locks the row for writing at once (an INSERT IGNORE
 * would share it first, and two of those deadlock); a locking read then says what stands there. A holder that is
 * stopped in the middle of its transaction keeps later holders waiting: see `wait_timeout` and
 * `idle_transaction_timeout`.
 *
 * A deadlock or lock wait timeout is the driver's own error, and means to repeat the transaction, not that the token is
 * stale.
 *
 * @module
 */
import {
  checkAccess,
  checkSource,
  checkTable,
  checkText,
  explain,
  type Floor,
  type GuardTableOptions,
  noTransaction,
  readFloor,
  refusal,
} from './request.ts';

/** A connection inside a transaction: of `mysql2/promise`, or of `mariadb`. */
export interface MysqlTransaction {
  // biome-ignore lint/suspicious/noExplicitAny: with any other type the drivers' own declarations would not fit
  query(sql: any, values?: any): Promise<any>;
}

export interface MysqlGuard {
  /**
   * Refuses a token that is smaller than one this resource has seen, with `StaleTokenError`; equal ones pass. To be
   * called in the transaction that does the work, before its first read; a TypeError where none is open.
   */
  fence(transaction: MysqlTransaction, resource: string, token: bigint): Promise<void>;
  /** For operators: refuses all tokens below this one from now on. Never lowers the floor. */
  raise(transaction: MysqlTransaction, resource: string, token: bigint): Promise<void>;
  /**
   * The locks have moved to another backend: from now on the resource takes tokens of this guard's source, from `floor`
   * on. Rejects if its tokens come from another source than `from`. Make sure that no holder of an old lock is left.
   */
  changeSource(
    transaction: MysqlTransaction,
    resource: string,
    change: { readonly from: string; readonly floor: bigint },
  ): Promise<void>;
  /** The text that makes the table, for a migration. */
  readonly ddl: string;
}

/** A guard for resources whose tokens come from one source: `mysqlGuard({ source: backend.tokenSource })`. */
export function mysqlGuard(options: GuardTableOptions): MysqlGuard {
  const source = checkSource('mysqlGuard', options, ['source', 'table']);
  const table = checkTable(options.table);
  const number = 'CAST(CONVERT(? USING utf8mb4) AS SIGNED)'; // digits come as bytes, which by themselves are another number
  const [readOne, raiseOne] = [
    `SELECT source, CAST(token AS CHAR) AS token FROM ${table} WHERE resource = ? FOR UPDATE`,
    `INSERT INTO ${table} (resource, source, token) VALUES (?, ?, ${number})
ON DUPLICATE KEY UPDATE token = IF(source = ?, GREATEST(token, ${number}), token)`,
  ];

  async function read(transaction: MysqlTransaction, resource: string): Promise<Floor | undefined> {
    const [row] = await query(transaction, readOne, [resource]);
    return row && readFloor(row);
  }

  async function raise(
    transaction: MysqlTransaction,
    resource: string,
    token: bigint,
  ): Promise<{ floor: Floor | undefined; isAlone: boolean }> {
    const { resource: name, text } = checkAccess(resource, token);
    if ('getConnection' in transaction) {
      throw new TypeError('A guard needs the connection on which the transaction runs, and was given a pool.');
    }
    const answer = await ask(transaction, raiseOne, [name, source, text, source, text]).catch((error: unknown) => {
      throw explain(error, table);
    });
    const isAlone = (statusOf(transaction, answer) & IN_TRANSACTION) === 0;
    return { floor: await read(transaction, name), isAlone };
  }

  return {
    async fence(transaction, resource, token) {
      const { floor, isAlone } = await raise(transaction, resource, token);
      if (floor?.source !== source || floor.token > token) throw refusal(resource, token, source, floor);
      if (isAlone) throw noTransaction();
    },
    async raise(transaction, resource, token) {
      const { floor } = await raise(transaction, resource, token);
      if (floor?.source !== source) throw refusal(resource, token, source, floor);
    },
    async changeSource(transaction, resource, { from, floor }) {
      const { resource: name, text } = checkAccess(resource, floor);
      const known = await read(transaction, name);
      if (known?.source !== checkText('from', from)) throw refusal(name, floor, source, known);
      await query(transaction, `UPDATE ${table} SET source = ?, token = ${number} WHERE resource = ?`, [
        source,
        text,
        name,
      ]);
    },
    ddl: `CREATE TABLE IF NOT EXISTS ${table} (
  resource varbinary(512) PRIMARY KEY,
  source   varbinary(512) NOT NULL,
  token    bigint NOT NULL
) ENGINE = InnoDB;
`,
  };
}

/** Rows as objects whose members are columns; a connection may be told otherwise for the queries of its own program. */
const PLAIN_ROWS = { rowsAsArray: false, nestTables: false };

/** A bit of the status that a server sends along with each answer. */
const IN_TRANSACTION = 1;

/** mysql2 hands it on in the answer, mariadb keeps it with the connection; whoever does neither is taken at his word. */
function statusOf(transaction: MysqlTransaction, answer: unknown): number {
  const { serverStatus } = ((answer as unknown[] | undefined)?.[0] ?? {}) as { serverStatus?: unknown };
  const { info } = transaction as { info?: { status?: unknown } | null };
  return Number(serverStatus ?? info?.status ?? IN_TRANSACTION);
}

/** Runs one statement. Text travels as bytes of UTF-8, so that the character set of a connection changes no name. */
function ask(transaction: MysqlTransaction, sql: string, values: readonly string[]): Promise<unknown> {
  const bytes = values.map((value) => Buffer.from(value));
  return transaction.query({ sql, ...PLAIN_ROWS }, bytes);
}

/** The rows: mysql2 gives [rows, fields], mariadb the rows. */
async function query(transaction: MysqlTransaction, sql: string, values: readonly string[]): Promise<object[]> {
  const answer = (await ask(transaction, sql, values)) as object[];
  return Array.isArray(answer[0]) ? answer[0] : answer;
}
