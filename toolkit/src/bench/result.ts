/**
 * What the benchmark finds, as data: the shape of its JSON. Names end in their unit; ratios are ours to theirs, one for
 * each round.
 *
 * @module
 */
import type { ContendedSubjectId } from './contended-locks.ts';
import type { HeldSubjectId } from './held-subjects.ts';
import type { BenchMachine } from './machine.ts';
import type { PairSubjectId } from './pair-subjects.ts';
import type { Spread } from './statistics.ts';

export interface BenchResult {
  readonly version: 1;
  readonly startedAt: string;
  readonly command: string;
  readonly rounds: number;
  readonly machine: RedisBenchMachine;
  readonly core: PairsResult | undefined;
  readonly pairs: readonly PairsResult[];
  readonly handOvers: readonly HandOverResult[];
  readonly waiting: WaitingResult | undefined;
  readonly held: readonly HeldResult[];
}

export interface RedisBenchMachine extends BenchMachine {
  readonly server: string;
  readonly ioredis: string;
}

/** Acquire and release of so many locks at once, which nobody else wants. */
export interface PairsResult {
  readonly names: number;
  readonly subjects: Readonly<Partial<Record<PairSubjectId, PairFigures>>>;
  readonly ratios: readonly PairRatio[];
}

export interface PairFigures {
  readonly perSecond: Spread;
  readonly clientCpuUs: Spread;
  readonly serverCpuUs: Spread;
  /** What the client sends for one pair. */
  readonly requests: Spread;
  /** What the server does for one pair, the commands inside scripts included. */
  readonly serverCommands: Spread;
  readonly p50Ms?: Spread;
  readonly p99Ms?: Spread;
}

export interface PairRatio {
  readonly ours: PairSubjectId;
  readonly theirs: PairSubjectId;
  readonly ratio: Spread;
  /** What the project aims at; without it, the ratio is for information. */
  readonly atLeast?: number;
}

/** One lock, for which many wait in a closed loop. */
export interface HandOverResult {
  readonly waiters: number;
  readonly processes: number;
  readonly holdMs: number;
  readonly subjects: Readonly<Record<ContendedSubjectId, HandOverSpread>>;
  /** Of the medians of each round. */
  readonly ratio: Spread;
  readonly atMost: number;
}

export interface HandOverSpread {
  readonly handOvers: number;
  readonly p50Ms: Spread;
  readonly p95Ms: Spread;
  readonly maxMs: Spread;
  readonly perSecond: Spread;
  /** What clients send for one hand-over, heartbeats included. */
  readonly requests: Spread;
  /** What the server does for one hand-over, the commands inside scripts included. */
  readonly serverCommands: Spread;
  /** Of these, how many found that they have to wait: entries into the line, and heartbeats. All rounds together. */
  readonly waits: number;
  readonly inversionsOfContenders: number;
  readonly inversionsOfCallersInOneProcess: number;
  readonly takenAgainByCaller: Spread;
  readonly takenAgainByProcess: Spread;
}

/** Waiters for a lock that its holder keeps. The holder's own renewals are among the requests. */
export interface WaitingResult {
  readonly waiters: number;
  readonly processes: number;
  readonly forMs: number;
  readonly requestsPerSecond: number;
}

/** Very many locks that one process holds. */
export interface HeldResult {
  readonly subject: HeldSubjectId;
  readonly locks: number;
  readonly ttlMs: number;
  /** Over how long a time they were acquired: 0 is as fast as possible, and makes their renewals fall due together. */
  readonly acquiredOverMs: number;
  readonly windowMs: number;
  readonly callsPerSecond: number;
  readonly renewals: number;
  readonly renewalsPerCall: number;
  readonly clientCpuPercent: number;
  readonly serverCpuPercent: number;
  /** What the project aims at for its own locks. */
  readonly aims: { readonly renewalsPerCallAtLeast: number; readonly clientCpuPercentBelow: number };
  readonly longestDelayMs: number;
  readonly clientHeapBytesPerLock: number;
  readonly serverBytesPerLock: number;
  readonly client: Readonly<Record<'before' | 'held' | 'after', ClientMemory>>;
}

/** Of the process that holds, after a garbage collection. */
export interface ClientMemory {
  readonly heapBytes: number;
  readonly rssBytes: number;
}
