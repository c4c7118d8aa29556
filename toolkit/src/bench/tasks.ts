/**
 * What the processes of the benchmark are asked, and what they answer: one message for each, in order.
 *
 * @module
 */
import type { LineId, System } from './consensus/system.ts';
import type { ContendedSubjectId } from './contended-locks.ts';
import type { HeldSubjectId } from './held-subjects.ts';
import type { PairSubjectId } from './pair-subjects.ts';
import type { Kind, OpenOptions, SubjectId } from './subjects/subject.ts';
import type { Turn } from './turns.ts';

/** The programs in `processes/`, with what each is started with, what it is asked, and what it answers. */
export interface Programs {
  pairs: { options: PairOptions; asks: PairSlice; gives: PairSliceFigures };
  contenders: { options: ContenderOptions; asks: ContenderStep; gives: ContenderAnswer };
  'consensus-line': { options: LineOptions; asks: LineStep; gives: readonly Turn[] };
  'held-locks': { options: HeldOptions; asks: HeldStep; gives: HeldAnswer };
  subject: { options: SubjectOptions; asks: SubjectStep; gives: SubjectAnswer };
}

export interface PairOptions {
  readonly subject: PairSubjectId;
  readonly url: string;
}

/** So many names at once, each acquired and released again and again for so long. */
export interface PairSlice {
  readonly names: number;
  readonly forMs: number;
}

export interface PairSliceFigures {
  readonly pairs: number;
  readonly tookMs: number;
  readonly cpuMs: number;
  /** One pair's time. */
  readonly pairMs: { readonly p50: number; readonly p99: number };
}

export interface ContenderOptions {
  readonly subject: ContendedSubjectId;
  readonly url: string;
  readonly name: string;
  /** How many contend in this process. */
  readonly contenders: number;
}

/**
 * `enter`: all of them ask for the lock, and go on until they are told to `leave`: then each takes it once more, and
 * the answer tells of all grants.
 */
export type ContenderStep = { readonly do: 'enter'; readonly holdMs: number } | { readonly do: 'leave' };

export interface ContenderAnswer {
  readonly grants: readonly Grant[];
  /** How often the lock was asked for in vain: waiting for it, or saying that one still waits. */
  readonly waits: number;
}

/** One grant, as the caller saw it; times on the monotonic clock of the machine. */
export interface Grant {
  /** Grows from grant to grant. */
  readonly number: number;
  readonly contender: number;
  readonly askedAtMs: number;
  readonly grantedAtMs: number;
  /** Before the call that releases. */
  readonly releasedAtMs: number;
}

export interface HeldOptions {
  readonly subject: HeldSubjectId;
  readonly url: string;
  readonly locks: number;
  readonly ttlMs: number;
}

/**
 * `acquire`: takes all locks, evenly over so long a time. `cpu`: how much processor time passes meanwhile. `delay`: how
 * long the event loop was kept from its work. `release`: gives all back.
 */
export type HeldStep =
  | { readonly do: 'acquire'; readonly overMs: number }
  | { readonly do: 'cpu'; readonly forMs: number }
  | { readonly do: 'delay'; readonly forMs: number }
  | { readonly do: 'release' };

export interface HeldAnswer {
  readonly tookMs: number;
  readonly cpuMs: number;
  readonly longestDelayMs?: number;
  /** After a garbage collection. */
  readonly heapBytes: number;
  readonly rssBytes: number;
}

export interface LineOptions {
  readonly kind: System['kind'];
  readonly address: string;
  readonly id: LineId;
  readonly name: string;
  /** How many wait in this process. */
  readonly waiters: number;
}

/**
 * `enter`: all of them ask for the lock. `leave`: waits until each has had it once. `hold`: takes the lock and keeps it,
 * until the process is killed.
 */
export type LineStep =
  | { readonly do: 'enter' }
  | { readonly do: 'leave' }
  | { readonly do: 'hold'; readonly ttlMs: number };

export interface SubjectOptions extends OpenOptions {
  readonly kind: Kind;
  readonly id: SubjectId;
  /** The line for one lock that this process has a part in: its name, and how many wait here. */
  readonly line: { readonly name: string; readonly waiters: number };
}

/**
 * `abilities`: what this subject can do besides pairs. `pairs`: a slice. `take`: takes so many locks and keeps them.
 * `keep`: goes on keeping them for so long. `give`: gives them back. `lead`: the first waiter of this process takes the
 * lock of the line. `enter`: all waiters of this process ask for it. `in-line`: how many wait there, from all processes.
 * `start`: who leads gives it back. `leave`: waits until each has had it once.
 */
export type SubjectStep =
  | ({ readonly do: 'pairs' } & PairSlice)
  | { readonly do: 'take'; readonly locks: number }
  | { readonly do: 'keep'; readonly forMs: number }
  | { readonly do: 'abilities' | 'give' | 'lead' | 'enter' | 'in-line' | 'start' | 'leave' };

/** What the step says, and nothing else. */
export interface SubjectAnswer {
  readonly abilities?: { readonly line: boolean; readonly hold: boolean };
  readonly slice?: PairSliceFigures;
  readonly kept?: { readonly tookMs: number; readonly cpuMs: number };
  readonly inLine?: number;
  /** On the monotonic clock, before the call that releases. */
  readonly atMs?: number;
  readonly turns?: readonly Turn[];
}
