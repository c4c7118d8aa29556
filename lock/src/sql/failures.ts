/**
 * The errors of a database as the codes that all backends share.
 *
 * @module
 */
import { BackendUnavailableError, LockError, OutcomeUnknownError, quote } from '../core/errors.ts';
import type { SqlFailure } from './database.ts';

/** What the driver rejected with, as a `LockError` about a lock; about none where the name is empty. */
export function toLockError(cause: unknown, { kind, remedy }: SqlFailure, id: string, lockName: string): LockError {
  if (cause instanceof LockError) return cause;
  const text = (cause instanceof Error ? cause.message || String(cause) : String(cause)).replace(/\.$/, '');
  const about = { lockName: lockName === '' ? undefined : lockName, cause };
  const asked = lockName === '' ? '' : `, asked about the lock ${quote(lockName)}`;
  const message = `${id}${asked}: ${text}.${remedy === '' ? '' : ` ${remedy}`}`;
  switch (kind) {
    case 'config':
      return new LockError('CONFIG', message, about);
    case 'denied':
      return new LockError('ACCESS_DENIED', message, about);
    case 'unknown':
      return new OutcomeUnknownError(`${message} It may have been done.`, about);
    default:
      return new BackendUnavailableError(`${message} Nothing was done.`, about);
  }
}
