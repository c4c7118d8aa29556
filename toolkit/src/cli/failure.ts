/**
 * From an error to what the user gets: an exit code and one or two sentences.
 *
 * @module
 */
import type { LockError } from 'holdfast';
import { AddressError } from '../connect/address.ts';
import { type ExitName, exitNameOf } from './exit-codes.ts';
import { withoutPasswords } from './text.ts';
import { UsageError } from './usage.ts';

export interface Failure {
  readonly exit: ExitName;
  readonly message: string;
}

export function toFailure(error: unknown): Failure {
  if (isLockError(error)) return { exit: exitNameOf(error.code), message: error.message };
  if (error instanceof UsageError || error instanceof AddressError) {
    // It may quote a URL that stands where another value should.
    return { exit: 'usage', message: withoutPasswords(error.message) };
  }
  return {
    exit: 'internal',
    message: `Something went wrong that should not: ${error instanceof Error ? error.message : String(error)}.`,
  };
}

/** By its shape and not by its class, so that the library is loaded only by commands that use it. */
function isLockError(error: unknown): error is LockError {
  return error instanceof Error && 'lockName' in error && 'code' in error && typeof error.code === 'string';
}

/** Makes what the library says about a wrong name, TTL or purpose a matter of usage; elsewhere such errors are bugs. */
export function asUsage<Result>(check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}
