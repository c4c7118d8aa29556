/**
 * Why a call to etcd gave no answer that we can use, and what that means for a lock.
 *
 * @module
 */
import { BackendUnavailableError, LockError, OutcomeUnknownError, quote } from '../../core/errors.ts';

/** The request certainly did not reach any server. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
}

/** The request left, and no answer came. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** etcd answered with an error. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  /** A status code of gRPC. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The codes of gRPC that decide something here. */
const STATUS = {
  invalidArgument: 3,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  unimplemented: 12,
  unauthenticated: 16,
};

/** Said before the request is proposed to the cluster, so that it certainly has no effect. */
const REFUSED_AT_THE_DOOR = /no leader|not capable|too many requests|not a member|server stopped|space exceeded/;

/** The lease that a request names is not there any more. */
export function isLeaseGone(error: unknown): boolean {
  return error instanceof RefusedError && error.status === STATUS.notFound;
}

/** The token of our login is not known any more: it ran out, or the server was restarted. */
export function isLoginOver(error: unknown): boolean {
  return (
    error instanceof RefusedError &&
    (error.status === STATUS.unauthenticated || /auth store is old|invalid auth token/.test(error.message))
  );
}

/** The server has no logins: it takes everybody. */
export function isLoginUnknown(error: unknown): boolean {
  return error instanceof RefusedError && /authentication is not enabled/.test(error.message);
}

/** Whether another member may do better: this one is silent, or without a leader. */
export function isFaultOfMember(error: unknown): boolean {
  return !(error instanceof RefusedError) || error.status === 14 || error.status === 4;
}

/** What somebody else keeps where the contenders of a lock should be. It is never touched. */
export function dataInTheWay(lockName: string, key: string): LockError {
  return new LockError(
    'CONFIG',
    `The lock ${quote(lockName)} cannot be had: the key ${quote(key)} hangs on no lease, so it is not of a lock but ` +
      "somebody's data. It was left as it is. Another name or keyPrefix would do.",
    { lockName },
  );
}

/** What is first in the line of a lock, hangs on a lease, and may be anything. */
export function notToBeBroken(lockName: string, key: string): LockError {
  return new LockError(
    'CONFIG',
    `The lock ${quote(lockName)} was not broken: the key ${quote(key)} is first in its line, and is not called after ` +
      'its lease, as those of Holdfast, of Go and of `etcdctl lock` are. It was left as it is.',
    { lockName },
  );
}

/** The failure in the words of the core. */
export function toLockError(what: string, error: unknown): Error {
  if (error instanceof LockError) return error;
  if (error instanceof NotSentError) {
    return new BackendUnavailableError(`etcd cannot be reached for ${what}: ${error.message}`, { cause: error });
  }
  if (error instanceof RefusedError) return refusal(what, error);
  const text = error instanceof Error ? error.message : String(error);
  return new OutcomeUnknownError(`No answer from etcd to ${what}: ${text} It may have been done.`, { cause: error });
}

function refusal(what: string, error: RefusedError): LockError {
  const text = `etcd refused ${what}: ${error.message}.`;
  const about = { cause: error };
  switch (error.status) {
    case STATUS.permissionDenied:
    case STATUS.unauthenticated:
      return new LockError(
        'ACCESS_DENIED',
        `${text} Does its role grant reading and writing of the lock's keys?`,
        about,
      );
    case STATUS.invalidArgument:
      if (!/user|auth|password/.test(error.message)) break;
      return new LockError('ACCESS_DENIED', `${text} Are name and password right?`, about);
    case STATUS.unimplemented:
      return new LockError('CONFIG', `${text} Is this an etcd of version 3.4 or newer?`, about);
    case STATUS.resourceExhausted:
    case STATUS.failedPrecondition:
      return new BackendUnavailableError(text, about);
  }
  if (REFUSED_AT_THE_DOOR.test(error.message)) return new BackendUnavailableError(text, about);
  return new OutcomeUnknownError(`${text} It may have been done.`, about);
}
