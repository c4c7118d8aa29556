/**
 * How long the servers have for an answer. They have equally long each time, and most questions are decided long before:
 * so one timer looks at the first question that is still open when its time is over, and none is set for each.
 *
 * @module
 */

interface Open {
  readonly untilMs: number;
  /** Called when the time is over. */
  readonly end: () => void;
}

export class Patience {
  /** How long it usually is; another time has a timer of its own. */
  readonly ms: number;
  /** In the order of their ends. */
  readonly #open: Set<Open> = new Set();
  #isWatching = false;

  constructor(ms: number) {
    this.ms = ms;
  }

  /** Calls `end` when that time is over, unless the returned function is called before. */
  wait(ms: number, end: () => void): () => void {
    if (ms !== this.ms) return ownTimer(ms, end);
    const open: Open = { untilMs: performance.now() + this.ms, end };
    this.#open.add(open);
    if (!this.#isWatching) this.#watch(this.ms);
    return () => this.#open.delete(open);
  }

  #watch(forMs: number): void {
    this.#isWatching = true;
    setTimeout(() => {
      this.#isWatching = false;
      const now = performance.now();
      for (const open of this.#open) {
        if (open.untilMs > now) {
          this.#watch(open.untilMs - now);
          return;
        }
        this.#open.delete(open);
        open.end();
      }
    }, Math.ceil(forMs)).unref();
  }
}

function ownTimer(ms: number, end: () => void): () => void {
  const timer = setTimeout(end, Math.max(0, ms));
  return () => clearTimeout(timer);
}
