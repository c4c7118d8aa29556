/**
 * What a database gives so that it can hold locks as rows: one statement for each step, a way to run it, and what its
 * errors mean. Everything else is the same for all of them.
 *
 * @module
 */
import type { Instant } from '../core/clock.ts';

export type SqlValue = string | number | boolean | null;
export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * One statement a step. Each runs as a transaction of its own; those without a comment answer with one row, whose
 * column `answer` is a line of words. Placeholders stand in the order of the inputs.
 */
export interface SqlStatements {
  /** step, name, owner, ttl, heartbeat, purpose, channel, host, pid */
  readonly acquire: string;
  /** name, owner */
  readonly release: string;
  /** JSON [{ n: name, o: owner, t: ttl }]; a letter for each, in order: r renewed, l lost, b broken */
  readonly renew: string;
  /** name, owner, may arrive late */
  readonly withdraw: string;
  /** name, from owner, to owner, ttl, heartbeat, purpose, channel, host, pid */
  readonly transfer: string;
  /** name; JSON: { raiseTo, holder } */
  readonly breakLock: string;
  /**
   * JSON [{ n: name, o: owner }]; a row { owner, token, claim } for each that was handed the lock and has not said so, and
   * a row { owner, token: null, ahead } for each that waits: so many tickets at most are before its own
   */
  readonly handedOver: string;
  /** name; rows { name, place, owner, token, host, pid, purpose, since, remaining }: the holder, then the waiters */
  readonly inspect: string;
  /** the same for all names */
  readonly list: string;
}

/** What an error of the driver means for the request that met it. */
export interface SqlFailure {
  /**
   * `again`: rolled back because of others, and worth another attempt at once. `refused`: certainly not done.
   * `unknown`: it may have been done. `denied`, `config`: asking again cannot help.
   */
  readonly kind: 'again' | 'refused' | 'unknown' | 'denied' | 'config';
  /** What helps, as a sentence; may be empty. */
  readonly remedy: string;
  /** Only the question was ended, and not its connection: what that holds it goes on holding. */
  readonly interrupted?: true;
  /** This server cannot do it as long as the connection lasts, and a new connection may lead to one that can. */
  readonly elsewhere?: true;
}

/** The checked option `tokenSource`: guards store it in a column of 512 bytes. */
export function checkTokenSource(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new TypeError('The option tokenSource must be a text.');
  if (Buffer.byteLength(value) > 512) throw new RangeError('The option tokenSource has at most 512 bytes.');
  return value;
}

export interface SqlDatabase {
  /** As in messages: `postgres`. */
  readonly id: string;
  readonly statements: SqlStatements;
  /** Runs one statement on any connection, in autocommit. Rejects with the driver's error, or with a `LockError`. */
  run(statement: string, values: readonly SqlValue[], deadline: Instant): Promise<readonly SqlRow[]>;
  understand(error: unknown): SqlFailure;
  close(): Promise<void>;
}

/** News that the database pushes to this process. */
export interface SqlNews {
  granted(owner: string, token: bigint, ttlMs: number): void;
  broken(owner: string): void;
  /** News may have been missed. */
  gap(): void;
}

/** The line on which a database pushes news; without one, whoever waits asks now and then. */
export interface SqlInbox {
  /** Where news for this process goes; undefined where none can come. */
  readonly channel: string | undefined;
  /** Whether news arrives now. */
  readonly isOpen: boolean;
  /** Opens the line if it is not open, and keeps it open. Never rejects. */
  open(): void;
  close(): Promise<void>;
}
