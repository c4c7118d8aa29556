/**
 * The exit codes of `holdfast`, all of them, with names. Help texts and the documentation print this list; scripts
 * compare the numbers, so a number never changes its meaning. From 64 on they are those of sysexits.h where it has one.
 *
 * @module
 */

/** One row of the table. */
interface ExitCodeRow {
  readonly code: number;
  readonly meaning: string;
}

export type ExitName =
  | 'done'
  | 'notAsExpected'
  | 'unknown'
  | 'usage'
  | 'unavailable'
  | 'internal'
  | 'busy'
  | 'denied'
  | 'config'
  | 'lost'
  | 'notExecutable'
  | 'notFound';

export const EXIT_CODES: Readonly<Record<ExitName, ExitCodeRow>> = {
  done: { code: 0, meaning: 'Done, and as expected.' },
  notAsExpected: { code: 1, meaning: 'Not as expected: a check found something, or nothing was broken.' },
  unknown: { code: 2, meaning: 'No verdict: a check could not find out.' },
  usage: { code: 64, meaning: 'Wrong usage: an option, a duration, a name or a URL.' },
  unavailable: { code: 69, meaning: 'The backend is not available, or gave no answer.' },
  internal: { code: 70, meaning: 'A fault of holdfast itself, or one of its own processes was killed.' },
  busy: { code: 75, meaning: 'The lock is busy: another owner had it for all of --wait.' },
  denied: { code: 77, meaning: 'The backend refuses the user, the password or a command.' },
  config: { code: 78, meaning: 'The backend is set up, or filled, so that a lock cannot work there.' },
  lost: { code: 79, meaning: 'The lock was lost while the command ran; the command has been ended.' },
  notExecutable: { code: 126, meaning: 'The command was found and cannot be executed.' },
  notFound: { code: 127, meaning: 'The command was not found.' },
};

/** What a shell reports for a command that was ended by a signal, and so do we. */
export const SIGNAL_BASE = 128;

/** The exit code for each code of a `LockError`; `ABORTED` is given by the signal that aborted. */
const OF_LOCK_ERRORS: Readonly<Record<string, ExitName>> = {
  BUSY: 'busy',
  LOST: 'lost',
  UNAVAILABLE: 'unavailable',
  OUTCOME_UNKNOWN: 'unavailable',
  ACCESS_DENIED: 'denied',
  CONFIG: 'config',
  UNSUPPORTED: 'config',
};

/** The name of the exit code for the code of a `LockError`. */
export function exitNameOf(lockErrorCode: string): ExitName {
  return OF_LOCK_ERRORS[lockErrorCode] ?? 'internal';
}

/** The table as lines of text, for help; with `names` only some of its rows. */
export function exitCodeLines(names: readonly ExitName[] = Object.keys(EXIT_CODES) as ExitName[]): string[] {
  return names.map((name) => `${String(EXIT_CODES[name].code).padStart(5)}  ${EXIT_CODES[name].meaning}`);
}
