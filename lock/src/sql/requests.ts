/**
 * Runs the statement of one step, again where the database rolled it back because of others, and says in our own words
 * what went wrong otherwise.
 *
 * @module
 */
import { type Clock, Instant } from '../core/clock.ts';
import { LockError } from '../core/errors.ts';
import type { SqlDatabase, SqlRow, SqlValue } from './database.ts';
import { toLockError } from './failures.ts';

/** Between attempts after a deadlock or a serialization failure: full jitter under a limit that doubles. */
const AGAIN_MS = { first: 2, most: 100 };

export class SqlRequests {
  readonly #database: SqlDatabase;
  readonly #clock: Clock;
  readonly #random: () => number;

  constructor(database: SqlDatabase, clock: Clock, random: () => number) {
    this.#database = database;
    this.#clock = clock;
    this.#random = random;
  }

  /** The line with which a step answers. */
  async step(statement: string, name: string, values: readonly SqlValue[], deadline: Instant): Promise<string> {
    const [row] = await this.rows(statement, name, values, deadline);
    if (typeof row?.answer !== 'string') throw this.#error(new Error('the answer has no text'), name);
    return row.answer;
  }

  async rows(
    statement: string,
    name: string,
    values: readonly SqlValue[],
    deadline: Instant,
  ): Promise<readonly SqlRow[]> {
    for (let limitMs = AGAIN_MS.first; ; limitMs = Math.min(AGAIN_MS.most, limitMs * 2)) {
      try {
        return await this.#database.run(statement, values, deadline);
      } catch (error) {
        const pauseMs = this.#random() * limitMs;
        const isAgain = !(error instanceof LockError) && this.#database.understand(error).kind === 'again';
        if (!isAgain || Instant.plus(this.#clock.now(), pauseMs) >= deadline) throw this.#error(error, name);
        await this.#sleep(pauseMs);
      }
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.callAt(Instant.plus(this.#clock.now(), ms), resolve, { keepAlive: true });
    });
  }

  #error(cause: unknown, lockName: string): LockError {
    return toLockError(cause, this.#database.understand(cause), this.#database.id, lockName);
  }
}
