/**
 * What SQLite and the file system say when something fails, in the words of Holdfast.
 *
 * @module
 */
import { BackendUnavailableError, LockError, quote } from '../../core/errors.ts';

/** SQLite's primary result codes that mean something to us. */
const CODES = {
  SQLITE_PERM: 3,
  SQLITE_BUSY: 5,
  SQLITE_LOCKED: 6,
  SQLITE_READONLY: 8,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_NOTADB: 26,
} as const;

/** The result code of an error of node:sqlite (`errcode`), libsql (`rawCode`) or better-sqlite3 (`code`, a name). */
function resultCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { errcode, rawCode, code } = error as { errcode?: unknown; rawCode?: unknown; code?: unknown };
  if (typeof errcode === 'number') return errcode & 0xff;
  if (typeof rawCode === 'number') return rawCode & 0xff;
  // libsql does not say more when it cannot open a file.
  const opening = /^ConnectionFailed\(.*: (\d+)"?\)$/.exec(error instanceof Error ? error.message : '');
  if (opening !== null) return Number(opening[1]) & 0xff;
  if (typeof code !== 'string') return undefined;
  for (const [name, value] of Object.entries(CODES)) if (code === name || code.startsWith(`${name}_`)) return value;
  return undefined;
}

/** Whether another connection has the file just now, so that trying again in a moment will do. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === CODES.SQLITE_BUSY || code === CODES.SQLITE_LOCKED;
}

/** Whether SQLite found no room for what it had to write. */
export function isDiskFull(error: unknown): boolean {
  return resultCode(error) === CODES.SQLITE_FULL;
}

/** Whether a file or a folder was not there: while the store is opened, because somebody is removing it. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** Errors of the file system that nothing but a person will mend. */
const REFUSALS = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);

/** The error for a caller whose request certainly had no effect. */
export function toLockError(error: unknown, what: string, where: string, lockName: string): LockError {
  if (error instanceof LockError) return error;
  const finding = explain(error);
  const text = error instanceof Error ? error.message : String(error);
  const message = `${what} for the lock ${quote(lockName)} failed in ${where}: ${text}. ${finding.remedy}`;
  const about = { lockName, cause: error };
  return finding.isConfig ? new LockError('CONFIG', message, about) : new BackendUnavailableError(message, about);
}

/** What helps, and whether nothing else does, so that asking again is of no use. */
function explain(error: unknown): { readonly remedy: string; readonly isConfig: boolean } {
  const { code } = error as { code?: unknown };
  const result = resultCode(error);
  switch (result) {
    case CODES.SQLITE_FULL:
      return { remedy: 'The disk is full: make room there.', isConfig: false };
    case CODES.SQLITE_CORRUPT:
    case CODES.SQLITE_NOTADB:
      return {
        remedy: 'The file is damaged: stop the processes that use it and remove its boot folder. Tokens go on above.',
        isConfig: true,
      };
    case CODES.SQLITE_READONLY:
    case CODES.SQLITE_PERM:
    case CODES.SQLITE_CANTOPEN:
      return { remedy: 'Is the folder there, and writable for this user?', isConfig: false };
    case CODES.SQLITE_IOERR:
      return { remedy: 'Are the disk and its file system healthy?', isConfig: false };
  }
  if (result === undefined && (typeof code !== 'string' || !/^(E[A-Z0-9]+|SQLITE_[A-Z_]+)$/.test(code))) {
    return { remedy: 'Does the opener work, and is its library whole?', isConfig: true };
  }
  if (typeof code === 'string' && REFUSALS.has(code)) {
    return {
      remedy: 'This user must be able to write there; the option directory names another place.',
      isConfig: true,
    };
  }
  return { remedy: 'Is there room on the disk, and may this process open more files?', isConfig: false };
}
