/**
 * What is done in the background until it succeeds, or until time has done it: with pauses that double, with timers
 * that keep no process alive, and without ever rejecting.
 *
 * @module
 */
import { isTransient } from '../../core/errors.ts';

const PAUSE_MS = { first: 50, most: 1_000 };

export class Errands {
  readonly #work: Set<Promise<void>> = new Set();
  readonly #sleepers: Set<() => void> = new Set();
  #closing = false;

  /** Tries at once, and again for `forMs`. An error that asking again cannot mend ends it. */
  run(forMs: number, task: () => Promise<unknown>): void {
    const work = this.#untilDone(forMs, task).finally(() => this.#work.delete(work));
    this.#work.add(work);
  }

  /** Each errand is tried once more and no longer; resolves when they have ended, at the latest after `limitMs`. */
  async close(limitMs: number): Promise<void> {
    this.#closing = true;
    for (const wake of this.#sleepers) wake();
    if (this.#work.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limitMs);
    });
    await Promise.race([Promise.all(this.#work), late]);
    clearTimeout(timer);
  }

  async #untilDone(forMs: number, task: () => Promise<unknown>): Promise<void> {
    const giveUpAtMs = performance.now() + forMs;
    for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(PAUSE_MS.most, pauseMs * 2)) {
      const isLast = this.#closing || performance.now() >= giveUpAtMs;
      try {
        await task();
        return;
      } catch (error) {
        if (isLast || !isTransient(error)) return;
      }
      if (!this.#closing) await this.#sleep(pauseMs);
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#sleepers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms).unref();
      this.#sleepers.add(wake);
    });
  }
}
