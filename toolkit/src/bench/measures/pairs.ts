/**
 * How many locks a second one process acquires and releases when nobody else wants them: one at a time, and many names
 * at once.
 *
 * @module
 */
import { alternate, type Bench, nameOfRound } from '../bench.ts';
import { PAIR_SUBJECTS, type PairSubjectId } from '../pair-subjects.ts';
import type { PairFigures, PairRatio, PairsResult } from '../result.ts';
import { callsBetween, readServer } from '../server-figures.ts';
import { ratios, spreadOf } from '../statistics.ts';
import type { PairSliceFigures } from '../tasks.ts';
import { Worker } from '../worker.ts';

const SLICE_MS = 300;

const ON_REDIS: readonly PairSubjectId[] = ['acquire', 'tryAcquire', 'raw', 'raw-auto-pipelining'];
const CORE: readonly PairSubjectId[] = ['core-acquire', 'core-tryAcquire'];

/** What is compared: all against the raw commands, and with many names also against those with auto-pipelining. */
const COMPARED: readonly (readonly [ours: PairSubjectId, theirs: PairSubjectId])[] = [
  ['acquire', 'raw'],
  ['tryAcquire', 'raw'],
  ['acquire', 'raw-auto-pipelining'],
  ['tryAcquire', 'raw-auto-pipelining'],
];

/** Both round trips of a serial pair are the server's; with many names those of one tick travel together. */
const AIM = { serial: 0.95, concurrent: 1 };

/** Acquire and release through a server, for each number of names. */
export async function measurePairs(bench: Bench, namesAtOnce: readonly number[]): Promise<PairsResult[]> {
  const results: PairsResult[] = [];
  await withWorkers(bench, ON_REDIS, async (workers) => {
    for (const names of namesAtOnce) {
      const slices = await measure(bench, workers, names);
      const compared = COMPARED.map(([ours, theirs]): PairRatio => {
        const ratio = ratios(slices[ours].map(perSecond), slices[theirs].map(perSecond));
        if (theirs !== 'raw') return { ours, theirs, ratio };
        return { ours, theirs, ratio, atLeast: names === 1 ? AIM.serial : AIM.concurrent };
      });
      results.push({ names, subjects: figuresOf(ON_REDIS, slices), ratios: compared });
    }
  });
  return results;
}

/** What the core costs by itself: the same calls with the locks in memory, and no server. */
export async function measureCore(bench: Bench): Promise<PairsResult> {
  return withWorkers(bench, CORE, async (workers) => {
    const slices = await measure(bench, workers, 1);
    return { names: 1, subjects: figuresOf(CORE, slices), ratios: [] };
  });
}

interface Slice extends PairSliceFigures {
  readonly serverCpuMs: number;
  readonly requests: number;
  readonly serverCommands: number;
}

type Workers = ReadonlyMap<PairSubjectId, Worker<'pairs'>>;

async function withWorkers<Result>(
  { reaper, server, warmUpMs, progress }: Bench,
  subjects: readonly PairSubjectId[],
  work: (workers: Workers) => Promise<Result>,
): Promise<Result> {
  const workers = new Map(
    subjects.map((subject) => [subject, new Worker(reaper, 'pairs', { subject, url: server.url })]),
  );
  try {
    for (const [subject, worker] of workers) {
      progress('warm-up', subject);
      for (const names of [64, 1]) await worker.ask({ names, forMs: warmUpMs });
    }
    return await work(workers);
  } finally {
    await Promise.all([...workers.values()].map((worker) => worker.stop()));
  }
}

function measure(bench: Bench, workers: Workers, names: number): Promise<Record<PairSubjectId, Slice[]>> {
  const { rounds, progress, server } = bench;
  return alternate([...workers.keys()], rounds, async (subject, round): Promise<Slice> => {
    const measure = names === 1 ? 'one pair at a time' : `${names} names at once`;
    progress(measure, `${subject}, ${nameOfRound(round, rounds)}`);
    const before = await readServer(server.client);
    const figures = await (workers.get(subject) as Worker<'pairs'>).ask({ names, forMs: SLICE_MS });
    const after = await readServer(server.client);
    return {
      ...figures,
      serverCpuMs: after.cpuMs - before.cpuMs,
      requests: callsBetween(before, after, PAIR_SUBJECTS[subject].sends),
      serverCommands: callsBetween(before, after),
    };
  });
}

function figuresOf(
  subjects: readonly PairSubjectId[],
  slices: Readonly<Record<PairSubjectId, readonly Slice[]>>,
): PairsResult['subjects'] {
  return Object.fromEntries(subjects.map((subject) => [subject, figuresOfOne(slices[subject])]));
}

function figuresOfOne(slices: readonly Slice[]): PairFigures {
  const perPairUs = (ms: (slice: Slice) => number) => spreadOf(slices.map((one) => (ms(one) * 1000) / one.pairs));
  return {
    perSecond: spreadOf(slices.map(perSecond)),
    clientCpuUs: perPairUs(({ cpuMs }) => cpuMs),
    serverCpuUs: perPairUs(({ serverCpuMs }) => serverCpuMs),
    requests: spreadOf(slices.map((one) => one.requests / one.pairs)),
    serverCommands: spreadOf(slices.map((one) => one.serverCommands / one.pairs)),
    p50Ms: spreadOf(slices.map(({ pairMs }) => pairMs.p50)),
    p99Ms: spreadOf(slices.map(({ pairMs }) => pairMs.p99)),
  };
}

function perSecond({ pairs, tookMs }: PairSliceFigures): number {
  return (pairs * 1000) / tookMs;
}
