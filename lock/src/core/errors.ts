/**
 * What can go wrong, each with a code that stays: programs compare codes, people read messages. A message says what
 * happened, to which lock, the number that matters, and what helps.
 *
 * @module
 */

/** The codes of all errors that Holdfast rejects or throws with. */
export type LockErrorCode =
  | 'BUSY' //             somebody else held the lock for as long as we were ready to wait
  | 'LOST' //             the lease is over before its holder gave it back
  | 'UNAVAILABLE' //      the backend did not do it: it is away, starting, read-only or full
  | 'OUTCOME_UNKNOWN' //  no reply came: it may have been done
  | 'ABORTED' //          the caller's AbortSignal
  | 'CLOSED' //           the Locks object has been closed
  | 'SELF_DEADLOCK' //    the caller's own context holds this lock already
  | 'FRAME_ENDED' //      a nested entry was still queued when the outermost body ended
  | 'ACCESS_DENIED' //    the backend refuses our name or password, or a command
  | 'STALE_TOKEN' //      a guard has seen a larger fencing token for this resource
  | 'CONFIG' //           the backend is set up, or filled, so that a lock cannot work there
  | 'UNSUPPORTED'; //     this backend cannot do that

/** Every error of Holdfast but those for a wrong argument, which are `TypeError` and `RangeError`. */
export class LockError extends Error {
  override readonly name: string = 'LockError';
  readonly code: LockErrorCode;
  /** The name of the lock, where the error is about one. */
  readonly lockName: string | undefined;

  constructor(code: LockErrorCode, message: string, about: { lockName?: string | undefined; cause?: unknown } = {}) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause });
    this.code = code;
    this.lockName = about.lockName;
  }
}

/** Somebody else held the lock until our `waitMs` was over. */
export class LockBusyError extends LockError {
  override readonly name = 'LockBusyError';
  readonly waitMs: number;

  constructor(lockName: string, waitMs: number) {
    super('BUSY', busyMessage(lockName, waitMs), { lockName });
    this.waitMs = waitMs;
  }
}

function busyMessage(lockName: string, waitMs: number): string {
  const waited = waitMs === 0 ? 'now, and waitMs is 0' : `for all of the ${waitMs} ms that this call waited`;
  return `The lock ${quote(lockName)} was held by another owner ${waited}. A larger waitMs waits longer; \`holdfast who\` names the holder.`;
}

/** Why a lease ended before its holder released it. */
export type LossReason =
  | 'expired' //   its time was over by our own clock: no renewal was answered in time, or this process was stopped
  | 'taken' //     the backend says that it is not ours any more: it ran out there, was evicted, or lost by a failover
  | 'broken' //    an operator broke the lock
  | 'disconnected' // the connection or session that held it has ended
  | 'max-hold' //  its holder had it for longer than maxHoldMs
  | 'closed' //   the Locks object was closed under it
  | 'released'; // its holder gave it back, and used it once more

/** The lease is over: what it protected is not protected any more. */
export class LeaseLostError extends LockError {
  override readonly name = 'LeaseLostError';
  readonly reason: LossReason;

  constructor(lockName: string, reason: LossReason, detail: string) {
    super('LOST', `Lost the lease on ${quote(lockName)}: ${reason}. ${detail}`, { lockName });
    this.reason = reason;
  }
}

/** The backend answered that it did not do what was asked, or could not be reached so that it certainly did not. */
export class BackendUnavailableError extends LockError {
  override readonly name = 'BackendUnavailableError';
  /** Whether it stays so until the program itself does something, as with a client that it has closed. */
  readonly isLasting: boolean;

  constructor(message: string, about: { lockName?: string | undefined; cause?: unknown; isLasting?: boolean } = {}) {
    super('UNAVAILABLE', message, about);
    this.isLasting = about.isLasting ?? false;
  }
}

/** No reply came, so that it may have been done. What it may have left behind is cleaned up in the background. */
export class OutcomeUnknownError extends LockError {
  override readonly name = 'OutcomeUnknownError';

  constructor(message: string, about: { lockName?: string | undefined; cause?: unknown } = {}) {
    super('OUTCOME_UNKNOWN', message, about);
  }
}

/** Whether trying again can help: the backend is away, or its answer is. */
export function isTransient(error: unknown): boolean {
  if (error instanceof BackendUnavailableError && error.isLasting) return false;
  return error instanceof LockError && (error.code === 'UNAVAILABLE' || error.code === 'OUTCOME_UNKNOWN');
}

/** A name as messages show it: quoted, and cut where it is long. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 77)}...` : name);
}
