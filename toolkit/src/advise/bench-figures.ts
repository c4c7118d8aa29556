/**
 * What a benchmark has found on this machine, as far as the advisor and the page use it: backends side by side, each with
 * Holdfast first and with what it is held against.
 *
 * Two kinds of files give that: the document of `holdfast bench --json FILE`, of which this is a part, and the detailed
 * result of `npm run bench -- --json FILE` about Redis and the core.
 *
 * @module
 */
import type { BenchDocument } from '../bench/overview/document.ts';
import type { BenchResult, HandOverResult, HandOverSpread, PairsResult } from '../bench/result.ts';
import type { Spread } from '../bench/statistics.ts';

export interface BenchFigures {
  readonly startedAt: string;
  readonly command: string;
  readonly settings: BenchSettings;
  readonly machine: BenchMachine;
  readonly backends: readonly BackendFigures[];
}

export interface BenchSettings {
  readonly rounds: number;
  /** How many locks at once, where it is not one. */
  readonly names: number;
  readonly waiters: number;
  readonly waitingProcesses: number;
}

export interface BenchMachine {
  readonly cpuModel: string;
  readonly cpus: number;
  readonly node: string;
  /** The average over a minute: above the number of processors, others were at work too. */
  readonly loadBefore: number;
  readonly loadAfter: number;
}

export interface BackendFigures {
  readonly id: string;
  /** How its server was started. */
  readonly what: string;
  /** Name and version; null where there is none. */
  readonly server: string | null;
  /** `holdfast`, and others. */
  readonly subjects: readonly SubjectFigures[];
}

export interface SubjectFigures {
  readonly id: string;
  /** What it does, in a few words. */
  readonly how: string;
  readonly serial: RateFigures | null;
  readonly concurrent: RateFigures | null;
  readonly handOver: DelayFigures | null;
}

export interface RateFigures {
  readonly perSecond: Spread;
  readonly p50Ms?: Spread;
  readonly p99Ms?: Spread;
  /** Of the rate of Holdfast to this one, round by round; null at Holdfast itself. */
  readonly ratio: Spread | null;
}

export interface DelayFigures {
  readonly p50Ms: Spread;
  readonly ratio: Spread | null;
}

export class NotABenchResult extends Error {
  override readonly name = 'NotABenchResult';
}

/** Throws `NotABenchResult` for anything else than those files. */
export function readBenchFigures(value: unknown): BenchFigures {
  const { version, machine } = (value ?? {}) as Partial<BenchDocument>;
  if (version === 1 && typeof machine === 'object') {
    if (isOfAll(value)) return figuresOf(value);
    if (isOfRedis(value)) return figuresOfRedis(value);
  }
  throw new NotABenchResult(
    'is not a result of `holdfast bench --json FILE` or `npm run bench -- --json FILE`, version 1',
  );
}

function isOfAll(value: unknown): value is BenchDocument {
  const { document, backends, settings } = value as Partial<BenchDocument>;
  return document === 'holdfast bench' && Array.isArray(backends) && typeof settings === 'object';
}

function isOfRedis(value: unknown): value is BenchResult {
  const { pairs, handOvers } = value as Partial<BenchResult>;
  return Array.isArray(pairs) && Array.isArray(handOvers);
}

/** The parts that are used: the page carries no more. */
function figuresOf({ startedAt, command, settings, machine, backends }: BenchDocument): BenchFigures {
  const { rounds, names, waiters, waitingProcesses } = settings;
  const { cpuModel, cpus, node, loadBefore, loadAfter } = machine;
  return {
    startedAt,
    command,
    settings: { rounds, names, waiters, waitingProcesses },
    machine: { cpuModel, cpus, node, loadBefore, loadAfter },
    backends: backends.map(({ id, what, server, subjects }) => ({
      ...{ id, what, server },
      subjects: subjects.map(({ id: subject, how, serial, concurrent, handOver }) => ({
        ...{ id: subject, how },
        ...{ serial: serial && rateOf(serial), concurrent: concurrent && rateOf(concurrent) },
        handOver: handOver && { p50Ms: handOver.p50Ms, ratio: handOver.ratio },
      })),
    })),
  };
}

function rateOf({ perSecond, p50Ms, p99Ms, ratio }: RateFigures): RateFigures {
  return { perSecond, ...(p50Ms ? { p50Ms } : {}), ...(p99Ms ? { p99Ms } : {}), ratio };
}

/** Of its many variants those that the file of all backends has too. */
function figuresOfRedis({ startedAt, command, rounds, machine, core, pairs, handOvers }: BenchResult): BenchFigures {
  const { cpuModel, cpus, node, loadBefore, loadAfter, server } = machine;
  const serial = pairs.find(({ names }) => names === 1);
  const concurrent = pairs.find(({ names }) => names > 1);
  const handOver =
    handOvers.find(({ processes, holdMs }) => processes > 1 && holdMs === 0) ??
    (handOvers[0] as HandOverResult | undefined);
  const subject = (pair: 'acquire' | 'raw', line: 'holdfast' | 'token-list', how: string): SubjectFigures => ({
    ...{ id: pair === 'acquire' ? 'holdfast' : 'raw', how },
    ...{ serial: pairOf(serial, pair), concurrent: pairOf(concurrent, pair) },
    handOver: delayOf(handOver, line),
  });
  const redis = [
    subject('acquire', 'holdfast', 'acquire, release'),
    subject('raw', 'token-list', 'SET NX PX, compare-and-delete; hand-over: BLPOP'),
  ];
  const alone = pairOf(core, 'core-acquire');
  const memory = { id: 'holdfast', how: 'acquire, release', serial: alone, concurrent: null, handOver: null };
  return {
    ...{ startedAt, command },
    settings: {
      rounds,
      names: concurrent?.names ?? 0,
      waiters: handOver?.waiters ?? 0,
      waitingProcesses: handOver?.processes ?? 0,
    },
    machine: { cpuModel, cpus, node, loadBefore, loadAfter },
    backends: [
      ...(alone ? [{ id: 'memory', what: 'no server: the core by itself', server: null, subjects: [memory] }] : []),
      { id: 'redis', what: 'one server', server, subjects: redis },
    ],
  };
}

function pairOf(pairs: PairsResult | undefined, subject: 'acquire' | 'raw' | 'core-acquire'): RateFigures | null {
  const figures = pairs?.subjects[subject];
  if (!pairs || !figures) return null;
  const ratio = pairs.ratios?.find(({ ours, theirs }) => ours === 'acquire' && theirs === subject)?.ratio ?? null;
  return rateOf({ ...figures, ratio });
}

function delayOf(handOver: HandOverResult | undefined, subject: keyof HandOverResult['subjects']): DelayFigures | null {
  const figures: HandOverSpread | undefined = handOver?.subjects[subject];
  if (!handOver || !figures) return null;
  return { p50Ms: figures.p50Ms, ratio: subject === 'holdfast' ? null : handOver.ratio };
}
