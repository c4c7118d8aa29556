/**
 * What the front and the guard say to each other, over Node's IPC channel. All of it is plain JSON: tokens are decimal
 * strings, instants are milliseconds of CLOCK_MONOTONIC.
 *
 * The front is the process that the user started: it has the terminal, takes signals and gives the exit code. The guard
 * holds the lock and is the parent of the command. The URL travels here and nowhere else, since arguments and
 * environments can be read by others.
 *
 * @module
 */
import type { ExitName } from '../exit-codes.ts';
import type { GroupBirth } from './process-group.ts';

/** The first message to the guard. */
export interface Start {
  readonly kind: 'start';
  readonly url: string | undefined;
  readonly lockName: string;
  readonly ttlMs: number;
  readonly waitMs: number;
  readonly killAfterMs: number;
  /** For how long the lock is kept from its grant on, even if the command has ended before. */
  readonly atLeastMs: number;
  readonly purpose: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** A signal that the front has got, for the command; while there is none yet, for the wait. */
export interface Signalled {
  readonly kind: 'signalled';
  readonly signal: NodeJS.Signals;
}

/** The front has not heard of the guard for longer than it should. The guard answers with a message of any kind. */
export interface StillThere {
  readonly kind: 'still-there';
}

export type ToGuard = Start | Signalled | StillThere;

/** The environment variable by which the front knows its guard, and copies of it that have not become a program yet. */
export const GUARD_MARK = 'HOLDFAST_GUARD';

/** Signals after which the command is expected to end. */
export const ENDING_SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];

/** The answer while the lock is not held yet. */
export interface StillWaiting {
  readonly kind: 'waiting';
}

/** The command was not started. */
export interface Refused {
  readonly kind: 'refused';
  readonly exit: ExitName;
  readonly message: string;
}

/** The lock is held, and the command will run in a moment. */
export interface Starting {
  readonly kind: 'starting';
  readonly owner: string;
  /** What the backend granted. */
  readonly ttlMs: number;
  readonly validUntil: number;
  /** What tells the command from all other processes, until its number is known: entries of its environment. */
  readonly environment: readonly string[];
}

/** The command runs. */
export interface Started {
  readonly kind: 'started';
  readonly group: number;
  readonly birth: GroupBirth;
}

/** A renewal was answered: the lease goes on until then. */
export interface Renewed {
  readonly kind: 'renewed';
  readonly validUntil: number;
}

/** The guard has begun to end the command. */
export interface Ending {
  readonly kind: 'ending';
}

/**
 * The command has ended, and nothing of it runs that was not meant to stay. The lock is still held. Code and signal are
 * both null if the command could not be executed.
 */
export interface Gone {
  readonly kind: 'gone';
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** For how long it is kept all the same. */
  readonly keptForMs: number;
}

/** The lock is given back or lost. The last message. */
export interface Ended {
  readonly kind: 'ended';
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Set where that decides the exit code, and not the end of the command. */
  readonly exit?: ExitName;
  /** What the user should know, in one or two sentences. */
  readonly message?: string;
}

export type ToFront = StillWaiting | Refused | Starting | Started | Renewed | Ending | Gone | Ended;
