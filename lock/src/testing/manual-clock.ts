import type { CancelTimer, Clock, Instant } from '../core/clock.ts';

interface Timer {
  readonly at: Instant;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: Instant;
  readonly #timers: Set<Timer> = new Set();

  constructor(startMs = 1_000) {
    this.#now = startMs as Instant;
  }

  now(): Instant {
    return this.#now;
  }

  date(): Date {
    return new Date(Date.UTC(2020, 0, 1) + this.#now);
  }

  callAt(at: Instant, callback: () => void): CancelTimer {
    const timer = { at, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How many timers are set: 0 when nothing was left behind. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Moves on, and fires each timer at its time, letting what it started run before the next. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await turn();
    for (let next = this.#next(until); next !== undefined; next = this.#next(until)) {
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at) as Instant;
      next.callback();
      await turn();
    }
    this.#now = until as Instant;
    await turn();
  }

  /** What a stopped process sees when it goes on: the time has passed, and no timer has fired yet. */
  jump(ms: number): void {
    this.#now = (this.#now + ms) as Instant;
  }

  #next(until: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at <= until && (next === undefined || timer.at < next.at)) next = timer;
    }
    return next;
  }
}

/** Lets all promises settle that need nothing but turns of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
