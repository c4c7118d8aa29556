/**
 * One call to a backend with a deadline of our own: whatever a client library does when its server is silent, the
 * caller gets an answer or a `LockError` in time.
 *
 * @module
 */
import type { Clock, Instant } from './clock.ts';
import { LockError, OutcomeUnknownError, quote } from './errors.ts';

export interface CallContext {
  readonly clock: Clock;
  readonly backendId: string;
  /** How long one call may take. */
  readonly callMs: number;
}

/**
 * Makes a call and gives its answer. Rejects with `OutcomeUnknownError` when `callMs` have passed, or when the backend
 * rejected with something that is not ours to understand; a late answer is dropped.
 */
export function callBackend<Answer>(
  context: CallContext,
  what: string,
  lockName: string,
  call: (deadline: Instant) => Promise<Answer>,
): Promise<Answer> {
  const { clock, backendId, callMs } = context;
  const deadline = (clock.now() + callMs) as Instant;
  return new Promise((resolve, reject) => {
    const cancel = clock.callAt(
      deadline,
      () => reject(new OutcomeUnknownError(silence(what, lockName, backendId, callMs), { lockName })),
      { keepAlive: true },
    );
    const fail = (error: unknown): void => {
      cancel();
      reject(error instanceof LockError ? error : misunderstood(what, lockName, backendId, error));
    };
    try {
      call(deadline).then((answer) => {
        cancel();
        resolve(answer);
      }, fail);
    } catch (error) {
      fail(error);
    }
  });
}

function silence(what: string, lockName: string, backendId: string, callMs: number): string {
  return (
    `No answer from ${backendId} to ${what} of ${quote(lockName)} within ${callMs} ms; it may have been done. ` +
    'Is the server reachable, and not stopped?'
  );
}

function misunderstood(what: string, lockName: string, backendId: string, cause: unknown): OutcomeUnknownError {
  const text = cause instanceof Error ? cause.message : String(cause);
  return new OutcomeUnknownError(`${backendId} failed at ${what} of ${quote(lockName)}: ${text}`, { lockName, cause });
}
