/**
 * What we need of a PostgreSQL client. A `Pool` of `pg` has all of it; anything with `query(text, values)` that gives
 * `{ rows }` will do for the lease row, and then waiters ask instead of being told.
 *
 * @module
 */

// biome-ignore lint/suspicious/noExplicitAny: with any other type the drivers' own declarations would not fit
type Anything = any;

export interface PostgresResult {
  // biome-ignore lint/suspicious/noExplicitAny: rows are read column by column
  readonly rows: any[];
}

/** Runs a statement on any connection, in a transaction of its own, with values for $1, $2, … */
export interface PostgresQueries {
  query(text: string, values?: Anything[]): Promise<PostgresResult>;
}

/** A pool, as `pg` has it: connections can be had one by one. */
export interface PostgresPool extends PostgresQueries {
  connect(): Promise<PostgresConnection>;
  on(event: 'error' | 'connect', listener: (argument: Anything) => void): unknown;
  readonly options?: { readonly max?: number };
  readonly ending?: boolean;
}

/** One connection out of a pool. */
export interface PostgresConnection extends PostgresQueries {
  /** Gives it back; with `true` it is closed instead. */
  release(destroy?: boolean): void;
  /** Whether it keeps the process alive from now on. */
  ref?(): void;
  unref?(): void;
  on(event: string, listener: (argument: Anything) => void): unknown;
  removeListener(event: string, listener: (argument: Anything) => void): unknown;
}

/** One connection of `pg`, in or out of a pool, and not a pool. */
export function isClient(client: PostgresQueries): boolean {
  return 'escapeIdentifier' in client && 'connect' in client;
}

export function isPool(client: PostgresQueries): client is PostgresPool {
  return 'connect' in client && 'on' in client && 'removeListener' in client;
}
