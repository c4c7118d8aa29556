/**
 * What a URL leads to, and how patiently.
 *
 * @module
 */
import type { Backend } from 'holdfast';

export interface Connection {
  /** Where the locks are, without a password. */
  readonly description: string;
  readonly backend: Backend;
  /** Makes the tables that are missing, where the backend has some. */
  createTables?(): Promise<void>;
  /** The table of a guard beside the data of users, where this is a database that can have it. */
  readonly guardTable?: GuardTable;
  /** Closes the backend and the client under it. Safe to call twice. */
  close(): Promise<void>;
}

export interface GuardTable {
  /** The statement that makes it under this name, or the usual one. Throws a RangeError if that is no name of a table. */
  ddl(table?: string): string;
  /** Runs that statement; where the table is there, it stays as it is. */
  make(ddl: string): Promise<void>;
}

export interface ConnectOptions {
  /** For how long a server that cannot be reached is tried again. Default 0: once. */
  readonly patienceMs?: number;
  /** Ends that. */
  readonly signal?: AbortSignal;
  /**
   * The holder is a process beside the one that does the work. If it is killed, the work may go on for a moment, so
   * its locks must not be free before their TTL is over, not even where the backend could tell that it is dead.
   */
  readonly underGuard?: boolean;
  /** The tables need not be there yet: they are about to be made. Default: a database without them is an error. */
  readonly withoutTables?: boolean;
}
