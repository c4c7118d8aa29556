/**
 * The guard in PostgreSQL: a row for each protected resource with the largest token it has seen, in the transaction
 * that does the work.
 *
 * `fence` comes before the first read. It locks the row until the transaction ends: who comes with a larger token waits
 * for it, and reads what it has written; who comes with a smaller one afterwards is refused. So a holder that is
 * stopped in the middle of its transaction keeps later holders waiting until its connection ends: set
 * `idle_in_transaction_session_timeout`.
 *
 * A serialization failure or deadlock is the driver's own error, and means to repeat the transaction, not that the
 * token is stale.
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
  noTransaction,
  readFloor,
  refusal,
} from './request.ts';

/** A connection inside a transaction: a client of `pg`, or anything with `query(text, values)` that gives `{ rows }`. */
export interface PostgresTransaction {
  // biome-ignore lint/suspicious/noExplicitAny: with any other type the drivers' own declarations would not fit
  query(text: string, values?: any[]): Promise<{ readonly rows: any[] }>;
}

export interface PostgresGuard {
  /**
   * Refuses a token that is smaller than one this resource has seen, with `StaleTokenError`; equal ones pass. To be
   * called in the transaction that does the work, before its first read; a TypeError where none is open.
   */
  fence(transaction: PostgresTransaction, resource: string, token: bigint): Promise<void>;
  /** For operators: refuses all tokens below this one from now on. Never lowers the floor. */
  raise(transaction: PostgresTransaction, resource: string, token: bigint): Promise<void>;
  /**
   * The locks have moved to another backend: from now on the resource takes tokens of this guard's source, from `floor`
   * on. Rejects if its tokens come from another source than `from`. Make sure that no holder of an old lock is left.
   */
  changeSource(
    transaction: PostgresTransaction,
    resource: string,
    change: { readonly from: string; readonly floor: bigint },
  ): Promise<void>;
  /** The text that makes the table, for a migration. */
  readonly ddl: string;
}

/** A guard for resources whose tokens come from one source: `postgresGuard({ source: backend.tokenSource })`. */
export function postgresGuard(options: GuardTableOptions): PostgresGuard {
  const source = checkSource('postgresGuard', options, ['source', 'table']);
  const table = checkTable(options.table);

  const upsert = (value: string, condition: string): string =>
    `INSERT INTO ${table} AS known (resource, source, token) VALUES ($1, $2, $3)
ON CONFLICT (resource) DO UPDATE SET token = ${value} WHERE ${condition} RETURNING token`;
  const sql = {
    fence: upsert('excluded.token', 'known.source = excluded.source AND known.token <= excluded.token'),
    raise: upsert('greatest(known.token, excluded.token)', 'known.source = excluded.source'),
    change: `UPDATE ${table} SET source = $2, token = $3 WHERE resource = $1 AND source = $4 RETURNING token`,
    floor: `SELECT source, token::text AS token FROM ${table} WHERE resource = $1`,
  };

  async function run(
    transaction: PostgresTransaction,
    statement: string,
    resource: string,
    token: bigint,
    more: string[] = [],
  ): Promise<void> {
    const { resource: name, text } = checkAccess(resource, token);
    if ('totalCount' in transaction) {
      throw new TypeError('A guard needs the connection on which the transaction runs, and was given a pool.');
    }
    const { rows } = await transaction.query(statement, [name, source, text, ...more]).catch((error: unknown) => {
      throw explain(error, table);
    });
    if (rows.length > 0) return;
    const [floor] = (await transaction.query(sql.floor, [name])).rows as object[];
    throw refusal(name, token, source, floor && readFloor(floor));
  }

  return {
    async fence(transaction, resource, token) {
      await run(transaction, sql.fence, resource, token);
      if (isAlone(transaction)) throw noTransaction();
    },
    raise: (transaction, resource, token) => run(transaction, sql.raise, resource, token),
    changeSource: (transaction, resource, { from, floor }) =>
      run(transaction, sql.change, resource, floor, [checkText('from', from)]),
    ddl: `CREATE TABLE IF NOT EXISTS ${table} (
  resource text COLLATE "C" PRIMARY KEY,
  source   text COLLATE "C" NOT NULL,
  token    bigint NOT NULL
) WITH (fillfactor = 50);
`,
  };
}

/** Whether the last answer left no transaction open. Of a driver that does not say it, nothing is known. */
function isAlone(transaction: object): boolean {
  const { getTransactionStatus } = transaction as { getTransactionStatus?: () => unknown };
  return typeof getTransactionStatus === 'function' && getTransactionStatus.call(transaction) === 'I';
}
