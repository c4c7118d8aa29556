/**
 * The callers of one process that wait for one lock, in the order in which they asked. A caller leaves when it gets
 * the lock, when its time is over, or when its signal aborts; then its timer and its listener are gone.
 *
 * @module
 */
import { onAbort } from './abort.ts';
import { type CancelTimer, type Clock, Instant } from './clock.ts';
import { LockError, quote } from './errors.ts';

export interface LocalWaiterOptions {
  readonly ttlMs: number;
  readonly waitMs: number;
  readonly maxHoldMs: number;
  readonly renew: boolean;
  readonly purpose: string | undefined;
  readonly signal: AbortSignal | undefined;
}

const nothing = (): void => undefined;

export class LocalWaiter<Lease> {
  readonly options: LocalWaiterOptions;
  readonly askedAt: Instant;
  readonly lease: Promise<Lease>;
  readonly #clock: Clock;
  #resolve!: (lease: Lease) => void;
  #reject!: (error: unknown) => void;
  #cancelTimer: CancelTimer | undefined;
  #stopListening: () => void = nothing;

  constructor(clock: Clock, options: LocalWaiterOptions) {
    this.#clock = clock;
    this.options = options;
    this.askedAt = clock.now();
    this.lease = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get isWatched(): boolean {
    return this.#cancelTimer !== undefined;
  }

  /** Calls `timedOut` or `aborted` at most once, unless the wait has ended before. */
  watch(timedOut: () => void, aborted: () => void): void {
    const { signal, waitMs } = this.options;
    this.#cancelTimer = this.#clock.callAt(Instant.plus(this.askedAt, waitMs), timedOut, {
      keepAlive: true,
      afterInput: true,
    });
    if (signal !== undefined) this.#stopListening = onAbort(signal, aborted);
  }

  resolve(lease: Lease): void {
    this.#stopWatching();
    this.#resolve(lease);
  }

  reject(error: unknown): void {
    this.#stopWatching();
    this.#reject(error);
  }

  #stopWatching(): void {
    this.#cancelTimer?.();
    this.#stopListening();
  }
}

/** First in, first out; leaving from the middle costs the same. */
export class LocalQueue<Lease> {
  readonly #waiters: Set<LocalWaiter<Lease>> = new Set();

  get size(): number {
    return this.#waiters.size;
  }

  get first(): LocalWaiter<Lease> | undefined {
    const { value } = this.#waiters.values().next();
    return value;
  }

  add(waiter: LocalWaiter<Lease>): void {
    this.#waiters.add(waiter);
  }

  leave(waiter: LocalWaiter<Lease>): void {
    this.#waiters.delete(waiter);
  }

  takeFirst(): LocalWaiter<Lease> | undefined {
    const first = this.first;
    if (first !== undefined) this.#waiters.delete(first);
    return first;
  }

  takeAll(): readonly LocalWaiter<Lease>[] {
    const all = [...this.#waiters];
    this.#waiters.clear();
    return all;
  }
}

export function abortedError(lockName: string, signal: AbortSignal): LockError {
  return new LockError('ABORTED', `The wait for the lock ${quote(lockName)} was aborted by its caller's signal.`, {
    lockName,
    cause: signal.reason,
  });
}
