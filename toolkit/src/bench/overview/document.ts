/**
 * What `holdfast bench` finds, as data: the shape of its JSON, which docs/bench-all.md describes. Names end in their unit;
 * ratios are Holdfast to the subject that they stand at, one for each round.
 *
 * @module
 */
import type { BenchBackendId } from '../backends.ts';
import type { BenchMachine } from '../machine.ts';
import type { Spread } from '../statistics.ts';

export interface BenchDocument {
  readonly document: 'holdfast bench';
  readonly version: 1;
  readonly startedAt: string;
  readonly tookMs: number;
  readonly command: string;
  readonly settings: BenchSettings;
  readonly machine: BenchMachine;
  readonly backends: readonly BackendFigures[];
  readonly notRun: readonly NotRun[];
}

export interface BenchSettings {
  readonly rounds: number;
  /** How long a subject acquires and releases in each round. */
  readonly sliceMs: number;
  /** How many names at once, where it is not one. */
  readonly names: number;
  readonly waiters: number;
  readonly waitingProcesses: number;
  readonly heldLocks: number;
  readonly heldTtlMs: number;
  readonly heldRounds: number;
}

/** A backend whose server is missing here, or a subject that cannot run. */
export interface NotRun {
  readonly name: string;
  readonly reason: string;
}

export interface BackendFigures {
  readonly id: BenchBackendId;
  readonly what: string;
  /** Name and version; null where there is no server. */
  readonly server: string | null;
  readonly tookMs: number;
  /** Holdfast is the first. */
  readonly subjects: readonly SubjectFigures[];
}

export interface SubjectFigures {
  /** `holdfast`, `raw`, or the name that a file gives its subject. */
  readonly id: string;
  /** What it does, in a few words. */
  readonly how: string;
  /** Null: not compared, or `failures` says why it did not work. */
  readonly serial: PairFigures | null;
  readonly concurrent: PairFigures | null;
  readonly handOver: HandOverFigures | null;
  readonly held: HeldFigures | null;
  readonly failures: readonly Failure[];
}

export type MeasureId = 'serial' | 'concurrent' | 'handOver' | 'held';

export interface Failure {
  readonly measure: MeasureId | 'start';
  readonly reason: string;
}

/** Acquire and release of locks that nobody else wants. */
export interface PairFigures {
  readonly perSecond: Spread;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  /** Of the rates; null at Holdfast itself. */
  readonly ratio: Spread | null;
}

/** From the start of a release to the next grant, each waiter once. */
export interface HandOverFigures {
  readonly handOvers: number;
  readonly p50Ms: Spread;
  /** Of all rounds together. */
  readonly p99Ms: number;
  /** Of the medians. */
  readonly ratio: Spread | null;
}

/** Many locks that one process has at once, and renews. */
export interface HeldFigures {
  readonly takenPerSecond: Spread;
  readonly releasedPerSecond: Spread;
  /** Of one processor, over one renewal period. */
  readonly clientCpuPercent: Spread;
  /** Of the rates at which they were taken. */
  readonly takenRatio: Spread | null;
  readonly clientCpuRatio: Spread | null;
}
