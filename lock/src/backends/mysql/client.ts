/**
 * What we need of a MySQL client: a pool of `mysql2` (with callbacks or promises) or of `mariadb`.
 *
 * @module
 */

// biome-ignore lint/suspicious/noExplicitAny: with any other type the drivers' own declarations would not fit
type Anything = any;

/** One connection out of a pool. */
export interface MysqlConnection {
  query(options: Anything, values?: Anything): Promise<Anything>;
  release(): unknown;
  destroy(): unknown;
  on(event: string, listener: (argument: Anything) => void): unknown;
  removeListener(event: string, listener: (argument: Anything) => void): unknown;
}

/** A pool of `mysql2/promise`, or of `mariadb`. */
export interface MysqlPool {
  getConnection(): Promise<MysqlConnection>;
}

/** A pool of `mysql2` with callbacks. */
export interface MysqlCallbackPool {
  promise(): MysqlPool;
}

/** The pool with promises, of whichever kind. */
export function poolOf(client: MysqlPool | MysqlCallbackPool): MysqlPool {
  if (typeof client === 'object' && client !== null) {
    if ('promise' in client && typeof client.promise === 'function') return client.promise();
    if ('getConnection' in client && typeof client.getConnection === 'function') return client;
  }
  throw new TypeError('A pool of mysql2 or mariadb is needed: createPool(…).');
}

/**
 * The rows of an answer. mysql2 gives [rows, fields], mariadb the rows; a CALL of a procedure has one more list around
 * them in both. Bytes become text.
 */
export function rowsOf(answer: unknown): Record<string, unknown>[] {
  let rows = answer;
  while (Array.isArray(rows) && Array.isArray(rows[0])) rows = rows[0];
  if (!Array.isArray(rows)) return []; // a statement without rows
  return rows.filter(isRow).map((row) => {
    const entries = Object.entries(row).map(([column, value]) => [
      column,
      value instanceof Uint8Array ? textOf(value) : value,
    ]);
    return Object.fromEntries(entries);
  });
}

function isRow(row: unknown): row is Record<string, unknown> {
  return typeof row === 'object' && row !== null;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
