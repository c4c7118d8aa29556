/**
 * Takes requests back of which nobody knows whether they were done: asks until an answer comes, or until the TTL has
 * ended whatever they may have left.
 *
 * @module
 */
import { type Backend, type Hold, withdraws } from './backend.ts';
import type { BackendCalls } from './call.ts';
import { Instant } from './clock.ts';
import { isTransient } from './errors.ts';

const RETRY_MS = { first: 50, most: 1_000 };

export class Janitor {
  readonly #backend: Backend;
  readonly #calls: BackendCalls;
  readonly #random: () => number;
  readonly #work: Set<Promise<void>> = new Set();
  #closing = false;

  constructor(backend: Backend, calls: BackendCalls, random: () => number) {
    this.#backend = backend;
    this.#calls = calls;
    this.#random = random;
  }

  /** Leaves the queue, or releases: in the background, and without ever rejecting. */
  withdraw(hold: Hold, mayArriveLate: boolean): void {
    const backend = this.#backend;
    this.#inBackground(hold, (deadline) =>
      withdraws(backend) ? backend.withdraw(hold, { mayArriveLate }, deadline) : backend.release(hold, deadline),
    );
  }

  /** Goes on with a release that got no answer. */
  release(hold: Hold): void {
    this.#inBackground(hold, (deadline) => this.#backend.release(hold, deadline));
  }

  /** Resolves when nothing is left to do; from now on each task is tried once more and no longer. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#work);
  }

  #inBackground(hold: Hold, call: (deadline: Instant) => Promise<unknown>): void {
    const work = this.#untilAnswered(hold, call).finally(() => this.#work.delete(work));
    this.#work.add(work);
  }

  async #untilAnswered(hold: Hold, call: (deadline: Instant) => Promise<unknown>): Promise<void> {
    const { clock } = this.#calls;
    const giveUpAt = Instant.plus(clock.now(), hold.ttlMs);
    let limit = RETRY_MS.first;
    do {
      try {
        await this.#calls.make('the release', hold.name, clock.now(), call);
        return;
      } catch (error) {
        if (!isTransient(error)) return; // Asking again cannot help; the TTL will.
      }
      if (this.#closing) return;
      await this.#sleep(limit / 2 + (this.#random() * limit) / 2);
      limit = Math.min(RETRY_MS.most, limit * 2);
    } while (clock.now() < giveUpAt);
  }

  #sleep(ms: number): Promise<void> {
    const { clock } = this.#calls;
    return new Promise((resolve) => {
      clock.callAt(Instant.plus(clock.now(), ms), resolve, { keepAlive: false });
    });
  }
}
