/**
 * The little that we need of an SQLite library: `DatabaseSync` of node:sqlite, better-sqlite3 and libsql all have it.
 *
 * @module
 */

export type SqlValue = string | number | null;

export interface Statement {
  run(...values: SqlValue[]): unknown;
  /** The first row, or undefined. */
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
}

export interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

/**
 * Opens a database file: `(path) => new DatabaseSync(path)`. It must leave the journal mode alone. All openers of one
 * process must use one copy of SQLite, since two copies in one process undo each other's file locks.
 */
export type Opener = (path: string) => Database;
