/**
 * Calls to a backend with a deadline of our own: whatever a client library does when its server is silent, the caller
 * gets an answer or a `LockError` in time.
 *
 * @module
 */
import { type CancelTimer, type Clock, Instant } from './clock.ts';
import { LockError, OutcomeUnknownError, quote } from './errors.ts';

interface Pending {
  readonly deadline: Instant;
  expire(): void;
}

export class BackendCalls {
  readonly clock: Clock;
  readonly backendId: string;
  /** How long one call may take. */
  readonly callMs: number;
  /** In order of their deadlines, since all calls may take equally long: one timer serves them all. */
  readonly #pending: Set<Pending> = new Set();
  #cancelTimer: CancelTimer | undefined;

  constructor(clock: Clock, backendId: string, callMs: number) {
    this.clock = clock;
    this.backendId = backendId;
    this.callMs = callMs;
  }

  /**
   * Makes a call at `sentAt`, which is now, and gives its answer. Rejects with `OutcomeUnknownError` when `callMs` have
   * passed, or when the backend rejected with something that is not ours to understand; `late` is told of an answer that
   * comes after that.
   */
  make<Answer>(
    what: string,
    lockName: string,
    sentAt: Instant,
    call: (deadline: Instant) => Promise<Answer>,
    late?: (answer: Answer) => void,
  ): Promise<Answer> {
    const deadline = Instant.plus(sentAt, this.callMs);
    return new Promise((resolve, reject) => {
      const pending: Pending = {
        deadline,
        expire: () => reject(new OutcomeUnknownError(this.#silence(what, lockName), { lockName })),
      };
      this.#pending.add(pending);
      if (this.#cancelTimer === undefined) this.#watch(deadline);
      const fail = (error: unknown): void => {
        this.#pending.delete(pending);
        reject(error instanceof LockError ? error : this.#misunderstood(what, lockName, error));
      };
      try {
        call(deadline).then((answer) => {
          if (this.#pending.delete(pending)) resolve(answer);
          else late?.(answer);
        }, fail);
      } catch (error) {
        fail(error);
      }
    });
  }

  /** Leaves no timer. Calls that are still out count as unknown now. */
  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    for (const pending of this.#pending) pending.expire();
    this.#pending.clear();
  }

  /**
   * Looks at the first deadline when it comes, not at each call: most calls are long over by then. A caller that waits
   * has a timer of its own that keeps the process alive; this one need not.
   */
  #watch(until: Instant): void {
    this.#cancelTimer = this.clock.callAt(
      until,
      () => {
        this.#cancelTimer = undefined;
        const now = this.clock.now();
        for (const pending of this.#pending) {
          if (pending.deadline > now) {
            this.#watch(pending.deadline);
            return;
          }
          this.#pending.delete(pending);
          pending.expire();
        }
      },
      { keepAlive: false, afterInput: true },
    );
  }

  #silence(what: string, lockName: string): string {
    return (
      `No answer from ${this.backendId} to ${what} of ${quote(lockName)} within ${this.callMs} ms; it may have been done. ` +
      'Is the server reachable, and not stopped?'
    );
  }

  #misunderstood(what: string, lockName: string, cause: unknown): OutcomeUnknownError {
    const text = cause instanceof Error ? cause.message : String(cause);
    return new OutcomeUnknownError(`${this.backendId} failed at ${what} of ${quote(lockName)}: ${text}`, {
      lockName,
      cause,
    });
  }
}
