/**
 * A server of the lab whose date can be moved, and how it is asked for it.
 *
 * @module
 */
export interface Dated {
  /** As it stands in the history: `postgres`. */
  readonly name: string;
  /** The process that was started. What it has started itself, it has as children. */
  readonly pid: number;
  /** By what it tells its date: `TIME`. */
  readonly says: string;
  /** Before its date is moved: opens what `dates` is to ask, where each connection has a process of its own. */
  open?(): Promise<void>;
  /** The seconds since 1970, as it tells them, by each of its processes that can be asked. */
  dates(): Promise<readonly number[]>;
}
