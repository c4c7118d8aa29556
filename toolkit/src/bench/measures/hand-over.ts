/**
 * How long a lock is on its way from one holder to the next, and who gets it, while many contend in a closed loop:
 * everyone comes back at once.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { alternate, type Bench, nameOfRound } from '../bench.ts';
import { CONTENDED_SUBJECTS, type ContendedSubjectId } from '../contended-locks.ts';
import { Contest, type ContestSize } from '../contest.ts';
import { type HandOverFigures, handOverFigures } from '../hand-over-figures.ts';
import { monotonicMs } from '../monotonic.ts';
import type { HandOverResult, HandOverSpread } from '../result.ts';
import { callsBetween, readServer } from '../server-figures.ts';
import { ratios, spreadOf } from '../statistics.ts';

export interface Layout extends ContestSize {
  /** How long each holder keeps the lock. With 0 the machine is busy all the time; otherwise it is at rest at a release. */
  readonly holdMs: number;
}

const SUBJECTS: readonly ContendedSubjectId[] = ['holdfast', 'token-list'];

const AT_MOST = 1.5;

/** How many hand-overs a round has at least, if each takes not much longer than the hold, and how long it takes. */
const ROUND = { handOvers: 200, leastMs: 400 };

interface RoundFigures extends HandOverFigures {
  readonly requests: number;
  readonly serverCommands: number;
  readonly waits: number;
}

export async function measureHandOver(bench: Bench, layout: Layout): Promise<HandOverResult> {
  const { waiters, processes, holdMs } = layout;
  const contests = new Map<ContendedSubjectId, Contest>();
  try {
    for (const subject of SUBJECTS) contests.set(subject, await Contest.open(bench, subject, layout));
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
    for (const contest of contests.values()) await contest.close();
  }
}

async function contend({ server }: Bench, contest: Contest, { holdMs, waiters }: Layout): Promise<RoundFigures> {
  const { sends, standsInLine } = CONTENDED_SUBJECTS[contest.subject];
  const first = await contest.allWait(holdMs);
  const before = await readServer(server.client);
  const fromMs = monotonicMs();
  await first.release();
  await sleep(Math.max(ROUND.leastMs, Math.max(ROUND.handOvers, 2 * waiters) * (holdMs + 0.5)));
  const after = await readServer(server.client);
  const toMs = monotonicMs();
  const answers = await contest.allLeave();

  const grants = answers.flatMap((answer, process) => answer.grants.map((grant) => ({ ...grant, process })));
  const figures = handOverFigures(grants, { fromMs, toMs }, standsInLine);
  return {
    ...figures,
    requests: callsBetween(before, after, sends) / figures.handOvers,
    serverCommands: callsBetween(before, after) / figures.handOvers,
    waits: answers.reduce((sum, { waits }) => sum + waits, 0),
  };
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
