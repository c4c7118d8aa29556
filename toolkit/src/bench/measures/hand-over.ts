/**
 * How long a lock is on its way from one holder to the next, and who gets it, while many contend in a closed loop:
 * everyone comes back at once.
 *
 * @module
 */
import { until } from '../../lab/until.ts';
import { alternate, type Bench, nameOfRound } from '../bench.ts';
import { CONTENDED_SUBJECTS, type ContendedLock, type ContendedSubjectId } from '../contended-locks.ts';
import { type HandOverFigures, handOverFigures } from '../hand-over-figures.ts';
import { monotonicMs } from '../monotonic.ts';
import type { HandOverResult, HandOverSpread } from '../result.ts';
import { callsBetween, readServer } from '../server-figures.ts';
import { ratios, spreadOf } from '../statistics.ts';
import { Worker } from '../worker.ts';

export interface Layout {
  readonly waiters: number;
  readonly processes: number;
  /** How long each holder keeps the lock. With 0 the machine is busy all the time; otherwise it is at rest at a release. */
  readonly holdMs: number;
}

const SUBJECTS = ['holdfast', 'token-list'] as const satisfies readonly ContendedSubjectId[];

const AT_MOST = 1.5;

/** How many hand-overs a round has at least, and how long it takes at least. */
const ROUND = { handOvers: 200, leastMs: 400 };

const ALL_WAIT_LIMIT_MS = 10_000;

interface Contest {
  readonly subject: ContendedSubjectId;
  /** The benchmark's own way to the lock: it is the first holder, until all the others wait. */
  readonly lock: ContendedLock;
  readonly workers: readonly Worker<'contenders'>[];
}

interface RoundFigures extends HandOverFigures {
  readonly requests: number;
  readonly serverCommands: number;
  readonly waits: number;
}

export async function measureHandOver(bench: Bench, layout: Layout): Promise<HandOverResult> {
  const contests = new Map<ContendedSubjectId, Contest>();
  try {
    for (const subject of SUBJECTS) contests.set(subject, await open(bench, subject, layout));
    const { waiters, processes, holdMs } = layout;
    const measured = await alternate(SUBJECTS, bench.rounds, (subject, round) => {
      const measure = `${waiters} waiters, ${processes} processes, held ${holdMs} ms`;
      bench.progress(measure, `${subject}, ${nameOfRound(round, bench.rounds)}`);
      return contend(bench, contests.get(subject) as Contest, layout);
    });
    return {
      ...layout,
      subjects: { holdfast: spread(measured.holdfast), 'token-list': spread(measured['token-list']) },
      ratio: ratios(measured.holdfast.map(p50), measured['token-list'].map(p50)),
      atMost: AT_MOST,
    };
  } finally {
    for (const { workers, lock } of contests.values()) {
      await Promise.all(workers.map((worker) => worker.stop()));
      await lock.close();
    }
  }
}

async function open(bench: Bench, subject: ContendedSubjectId, layout: Layout): Promise<Contest> {
  const { waiters, processes } = layout;
  const { url } = bench.server;
  const name = `hand-over:${waiters}:${processes}`;
  const lock = await CONTENDED_SUBJECTS[subject].open(url, name, 1);
  const workers = Array.from({ length: processes }, (_, at) => {
    const contenders = Math.floor((waiters + at) / processes);
    return new Worker(bench.reaper, 'contenders', { subject, url, name, contenders });
  });
  return { subject, lock, workers };
}

async function contend(bench: Bench, { subject, lock, workers }: Contest, layout: Layout): Promise<RoundFigures> {
  const { client } = bench.server;
  const { sends, standsInLine } = CONTENDED_SUBJECTS[subject];
  const { holdMs, waiters, processes } = layout;

  await lock.makeFree();
  const first = await lock.acquire(0);
  await Promise.all(workers.map((worker) => worker.ask({ do: 'enter', holdMs })));
  const expected = standsInLine === 'process' ? processes : waiters;
  await until(`${expected} standing in line`, async () => (await lock.waiting()) === expected, {
    limitMs: ALL_WAIT_LIMIT_MS,
  });

  const before = await readServer(client);
  const fromMs = monotonicMs();
  await first.release();
  await roundOver(holdMs, waiters);
  const after = await readServer(client);
  const toMs = monotonicMs();
  const answers = await Promise.all(workers.map((worker) => worker.ask({ do: 'leave' })));

  const grants = answers.flatMap((answer, process) => answer.grants.map((grant) => ({ ...grant, process })));
  const figures = handOverFigures(grants, { fromMs, toMs }, standsInLine);
  return {
    ...figures,
    requests: callsBetween(before, after, sends) / figures.handOvers,
    serverCommands: callsBetween(before, after) / figures.handOvers,
    waits: answers.reduce((sum, { waits }) => sum + waits, 0),
  };
}

/** A slice long enough for the wanted number of hand-overs, if each takes not much longer than the hold. */
function roundOver(holdMs: number, waiters: number): Promise<void> {
  const handOvers = Math.max(ROUND.handOvers, 2 * waiters);
  const ms = Math.max(ROUND.leastMs, handOvers * (holdMs + 0.5));
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function p50({ handOverMs }: HandOverFigures): number {
  return handOverMs.p50;
}

function spread(rounds: readonly RoundFigures[]): HandOverSpread {
  const over = (pick: (round: RoundFigures) => number) => spreadOf(rounds.map(pick));
  const sum = (pick: (round: RoundFigures) => number) => rounds.map(pick).reduce((total, one) => total + one, 0);
  return {
    handOvers: sum(({ handOvers }) => handOvers),
    p50Ms: over(p50),
    p95Ms: over(({ handOverMs }) => handOverMs.p95),
    maxMs: over(({ handOverMs }) => handOverMs.max),
    perSecond: over(({ perSecond }) => perSecond),
    requests: over(({ requests }) => requests),
    serverCommands: over(({ serverCommands }) => serverCommands),
    waits: sum(({ waits }) => waits),
    inversionsOfContenders: sum(({ inversions }) => inversions.ofContenders),
    inversionsOfCallersInOneProcess: sum(({ inversions }) => inversions.ofCallersInOneProcess),
    takenAgainByCaller: over(({ takenAgain }) => takenAgain.byCaller),
    takenAgainByProcess: over(({ takenAgain }) => takenAgain.byProcess),
  };
}
