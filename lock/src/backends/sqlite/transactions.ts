/**
 * Runs the requests of one backend object on the file, one exclusive transaction after the other. Requests of one turn
 * of the event loop share a transaction. SQLite never waits: when another process has the file, we do, with jitter and
 * without stopping the event loop. No transaction spans an await.
 *
 * @module
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Instant } from '../../core/clock.ts';
import { BackendUnavailableError, LockError, OutcomeUnknownError, quote } from '../../core/errors.ts';
import { isBusy, isDiskFull, isMissing, toLockError } from './failures.ts';
import { isRunningLow, ReservationNeeded, raiseFloor, reservation } from './floor.ts';
import type { LockTable } from './lock-table.ts';
import { machineMs } from './machine.ts';
import type { Notice } from './rows.ts';
import type { Store } from './store.ts';

/** Work inside a transaction. It may be undone and run again, so it touches nothing but the table. */
export type Work<Answer> = (table: LockTable) => Answer;

interface Job {
  readonly name: string;
  readonly work: Work<unknown>;
  readonly deadline: Instant;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A transaction ends after so many requests or so long, so that other processes get their turn. */
const MOST_JOBS = 64;
const LONGEST_MS = 4;

/** So often in a row the files are opened anew when somebody removes them meanwhile: `rm -r` takes one after the other. */
const REMOVALS = 10;

export interface TransactionTasks {
  readonly clock: Clock;
  /** For messages. */
  readonly directory: string;
  /** The machine's clock, by which the rows are written. */
  readonly nowMs: () => number;
  open(): Store;
  /** What others are to be told after a commit. */
  committed(store: Store, notices: readonly Notice[]): void;
  /** The file was removed or replaced: nothing of what was in it is ours any more. */
  replaced(): void;
}

export class Transactions {
  readonly #tasks: TransactionTasks;
  readonly #jobs: Job[] = [];
  #store: Store | undefined;
  #running: Promise<void> | undefined;
  #floor = 0n;
  #raising: Promise<void> | undefined;
  /** When this turn of the event loop began to be ours. */
  #turnBeganMs: number | undefined;
  #closed = false;

  constructor(tasks: TransactionTasks) {
    this.#tasks = tasks;
  }

  /** The open files, if they are open. */
  get store(): Store | undefined {
    return this.#store;
  }

  /**
   * Runs work about the lock of this name, which is for messages.
   *
   * Rejects with UNAVAILABLE if it was certainly not done, at the deadline at the latest as long as the work has not
   * begun; with OUTCOME_UNKNOWN if the commit failed.
   *
   * `first` is done before what waits already: nothing of it is left over after their answers.
   */
  run<Answer>(
    name: string,
    deadline: Instant,
    work: Work<Answer>,
    { first = false }: { readonly first?: boolean } = {},
  ): Promise<Answer> {
    if (this.#closed) {
      return Promise.reject(new LockError('CLOSED', 'This sqlite backend was closed.', { lockName: name }));
    }
    return new Promise((resolve, reject) => {
      const job: Job = { name, work, deadline, resolve: resolve as (answer: unknown) => void, reject };
      if (first) this.#jobs.unshift(job);
      else this.#jobs.push(job);
      this.#running ??= this.#runAll();
    });
  }

  /** Takes nothing more, and closes the files when what has been asked for is done. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
    await this.#raising?.catch(() => undefined);
    this.#store?.close();
    this.#store = undefined;
  }

  async #runAll(): Promise<void> {
    await undefined; // everything that is asked for in this turn travels together
    for (let refusals = 0; this.#jobs.length > 0; ) {
      this.#dropLate();
      try {
        this.#transact();
        refusals = 0;
      } catch (error) {
        if (isBusy(error)) await pause(refusals++);
        else if (isMissing(error) && this.#store === undefined && refusals < REMOVALS) await pause(refusals++);
        else if (error instanceof ReservationNeeded) await this.#reserve(error.token);
        else this.#fail(this.#jobs.splice(0), error, 'A lock step');
      }
      await this.#yield();
    }
    this.#running = undefined;
  }

  /** One transaction for the jobs in front. Throws if it was undone as a whole, or could not begin. */
  #transact(): void {
    if (this.#jobs.length === 0) return;
    this.#store ??= this.#tasks.open();
    const store = this.#store;
    try {
      store.begin();
    } catch (error) {
      if (isBusy(error) || store.isInPlace()) throw error;
      this.#abandon(store); // to SQLite a file that was removed is one that cannot be read
      return;
    }
    const answers: [Job, unknown][] = [];
    let table: LockTable | undefined;
    try {
      const wallMs = Date.now();
      const nowMs = this.#tasks.nowMs();
      const endMs = machineMs() + LONGEST_MS;
      table = store.table({ nowMs, wallMs });
      if (table === undefined) {
        this.#abandon(store);
        return;
      }
      if (this.#floor > 0n) table.setReserved(this.#floor);
      for (const job of this.#jobs) {
        answers.push([job, job.work(table)]);
        if (answers.length === MOST_JOBS || machineMs() > endMs) break;
      }
    } catch (error) {
      store.rollback();
      throw error;
    }
    this.#jobs.splice(0, answers.length);
    try {
      store.commit();
    } catch (error) {
      store.rollback();
      for (const [{ name, reject }] of answers) {
        // A full disk is found out while the pages are written, before the journal ends the transaction.
        if (isDiskFull(error)) reject(toLockError(error, 'A lock step', this.#tasks.directory, name));
        else reject(commitFailure(name, store.file, error));
      }
      return;
    }
    this.#floor = 0n;
    for (const [job, answer] of answers) job.resolve(answer);
    this.#reserveAhead(table);
    this.#tasks.committed(store, table.notices);
  }

  /** Gives up files that are void; the next transaction opens what is there then. */
  #abandon(store: Store): void {
    this.#store = undefined;
    store.rollback();
    store.close();
    store.life.forget();
    this.#tasks.replaced();
  }

  async #reserve(token: bigint): Promise<void> {
    try {
      await this.#raise(token);
    } catch (error) {
      this.#fail(this.#jobs.splice(0), error, 'The reservation of fencing tokens');
    }
  }

  /** Long before the floor is reached, so that nobody waits for the disk. */
  #reserveAhead({ tokens }: LockTable): void {
    if (tokens === undefined || this.#raising !== undefined) return;
    if (!isRunningLow(tokens.reserved, tokens.last, wallUs())) return;
    this.#raise(tokens.last).catch(() => undefined); // who needs it tries again, and hears why it fails
  }

  #raise(token: bigint): Promise<void> {
    const store = this.#store;
    if (store === undefined) return Promise.resolve();
    const floor = reservation(token, wallUs());
    this.#raising ??= raiseFloor(store.floorFolder, floor)
      .then(() => {
        this.#floor = floor;
      })
      .finally(() => {
        this.#raising = undefined;
      });
    return this.#raising;
  }

  #dropLate(): void {
    const now = this.#tasks.clock.now();
    const late = this.#jobs.filter((job) => job.deadline <= now);
    if (late.length === 0) return;
    for (const job of late) this.#jobs.splice(this.#jobs.indexOf(job), 1);
    for (const { name: lockName, reject } of late) {
      reject(
        new BackendUnavailableError(
          `Nothing was done about the lock ${quote(lockName)}: its file was in use by other processes for all of the ` +
            'time that this call had. A process that was stopped in the middle of a step keeps the file until it goes on.',
          { lockName },
        ),
      );
    }
  }

  #fail(jobs: readonly Job[], error: unknown, what: string): void {
    for (const { name, reject } of jobs) reject(toLockError(error, what, this.#tasks.directory, name));
  }

  /** Lets the event loop turn when we have had it for some milliseconds. */
  async #yield(): Promise<void> {
    if (this.#turnBeganMs === undefined) {
      this.#turnBeganMs = machineMs();
      setImmediate(() => {
        this.#turnBeganMs = undefined;
      });
    } else if (machineMs() - this.#turnBeganMs > LONGEST_MS) {
      await nextTurn();
    }
  }
}

/** First a turn of the event loop, then milliseconds with jitter, so that many processes do not ask in step. */
function pause(refusals: number): Promise<unknown> {
  if (refusals < 2) return nextTurn();
  return sleep(1 + Math.random() * Math.min(refusals, 4));
}

function wallUs(): bigint {
  return BigInt(Date.now()) * 1000n;
}

function commitFailure(lockName: string, file: string, cause: unknown): OutcomeUnknownError {
  const text = cause instanceof Error ? cause.message : String(cause);
  return new OutcomeUnknownError(
    `What was asked for about the lock ${quote(lockName)} may or may not have been done: the commit on ${file} failed: ` +
      `${text}. Is the disk full or failing?`,
    { lockName, cause },
  );
}
