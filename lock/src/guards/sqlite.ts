/**
 * The guard in SQLite: a row for each protected resource with the largest token it has seen, in the transaction that
 * does the work.
 *
 * `fence` comes before the first read, in a transaction that began with `BEGIN IMMEDIATE`. SQLITE_BUSY is the engine's
 * own error, and means to try again, not that the token is stale.
 *
 * @module
 */
import {
  checkAccess,
  checkSource,
  checkTable,
  checkText,
  explain,
  type GuardTableOptions,
  readFloor,
  refusal,
} from './request.ts';

/** A database inside a transaction: of node:sqlite, better-sqlite3 or libsql. */
export interface SqliteTransaction {
  // biome-ignore lint/suspicious/noExplicitAny: with any other type the engines' own declarations would not fit
  prepare(sql: string): { get(...values: any[]): unknown };
}

export interface SqliteGuard {
  /**
   * Refuses a token that is smaller than one this resource has seen, with `StaleTokenError`; equal ones pass. To be
   * called in the transaction that does the work, before its first read.
   */
  fence(transaction: SqliteTransaction, resource: string, token: bigint): void;
  /** For operators: refuses all tokens below this one from now on. Never lowers the floor. */
  raise(transaction: SqliteTransaction, resource: string, token: bigint): void;
  /**
   * The locks have moved to another backend: from now on the resource takes tokens of this guard's source, from `floor`
   * on. Throws if its tokens come from another source than `from`. Make sure that no holder of an old lock is left.
   */
  changeSource(
    transaction: SqliteTransaction,
    resource: string,
    change: { readonly from: string; readonly floor: bigint },
  ): void;
  /** The text that makes the table. */
  readonly ddl: string;
}

/** A guard for resources whose tokens come from one source: `sqliteGuard({ source: backend.tokenSource })`. */
export function sqliteGuard(options: GuardTableOptions): SqliteGuard {
  const source = checkSource('sqliteGuard', options, ['source', 'table']);
  const table = checkTable(options.table);

  // Placeholders have no numbers: better-sqlite3 takes ?1 for a name.
  const upsert = (value: string, condition: string): string =>
    `INSERT INTO ${table} (resource, source, token) VALUES (?, ?, CAST(? AS INTEGER))
ON CONFLICT (resource) DO UPDATE SET token = ${value} WHERE ${condition} RETURNING 1 AS done`;
  const sql = {
    fence: upsert('excluded.token', `${table}.source = excluded.source AND ${table}.token <= excluded.token`),
    raise: upsert(`max(${table}.token, excluded.token)`, `${table}.source = excluded.source`),
    change: `UPDATE ${table} SET source = ?, token = CAST(? AS INTEGER) WHERE resource = ? AND source = ? RETURNING 1 AS done`,
    floor: `SELECT source, CAST(token AS TEXT) AS token FROM ${table} WHERE resource = ?`,
  };

  function run(
    transaction: SqliteTransaction,
    statement: string,
    resource: string,
    token: bigint,
    from?: string,
  ): void {
    const { resource: name, text } = checkAccess(resource, token);
    const { isTransaction, inTransaction } = transaction as { isTransaction?: boolean; inTransaction?: boolean };
    if (isTransaction === false || inTransaction === false) {
      throw new TypeError('A guard works inside a transaction, and none is open on this database: BEGIN IMMEDIATE.');
    }
    const values = from === undefined ? [name, source, text] : [source, text, name, from];
    // Prepared each time: a statement of the user's own is stepped to its end by `get`, and no handle is kept.
    let floor: object | undefined;
    try {
      if (transaction.prepare(statement).get(...values) !== undefined) return;
      floor = transaction.prepare(sql.floor).get(name) as object | undefined;
    } catch (error) {
      throw explain(error, table);
    }
    throw refusal(name, token, source, floor && readFloor(floor));
  }

  return {
    fence: (transaction, resource, token) => run(transaction, sql.fence, resource, token),
    raise: (transaction, resource, token) => run(transaction, sql.raise, resource, token),
    changeSource: (transaction, resource, { from, floor }) =>
      run(transaction, sql.change, resource, floor, checkText('from', from)),
    ddl: `CREATE TABLE IF NOT EXISTS ${table} (
  resource TEXT PRIMARY KEY,
  source   TEXT NOT NULL,
  token    INTEGER NOT NULL
) WITHOUT ROWID;
`,
  };
}
