/**
 * What is measured on one backend: pairs, hand-over and held locks, of all subjects in alternating rounds.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../lab/until.ts';
import { nameOfRound } from '../bench.ts';
import { quantile, spreadOf } from '../statistics.ts';
import type { SubjectId } from '../subjects/subject.ts';
import type { PairSliceFigures, SubjectStep } from '../tasks.ts';
import { gapsBetween } from '../turns.ts';
import { type Compared, compare, firstLine, ratioTo } from './compare.ts';
import { Crew } from './crew.ts';
import type { Failure, HandOverFigures, HeldFigures, MeasureId, PairFigures, SubjectFigures } from './document.ts';
import type { Stage } from './stage.ts';

/** A subject that is measured, as it stands in the results. */
export interface NamedSubject {
  readonly name: string;
  readonly how: string;
  readonly id: SubjectId;
}

/** Whoever only asks again and again has asked for the first time by then. */
const FIRST_ASK_MS = 100;

export async function measureSubjects(stage: Stage, subjects: readonly NamedSubject[]): Promise<SubjectFigures[]> {
  const crews = new Map(subjects.map((subject) => [subject.name, new Crew(stage, subject.id)]));
  try {
    const failures = new Map<string, Failure>();
    for (const [name, crew] of crews) {
      stage.say('starting', name);
      await crew.warmUp(stage.settings).catch((error: unknown) => {
        failures.set(name, { measure: 'start', reason: firstLine(error) });
      });
    }
    const able = (ability: 'pairs' | 'line' | 'hold'): string[] =>
      [...crews].filter(([name, crew]) => !failures.has(name) && crew.can(ability)).map(([name]) => name);
    const pairs = able('pairs');
    const measured = {
      serial: await measurePairs(stage, crews, pairs, 1),
      concurrent: await measurePairs(stage, crews, pairs, stage.settings.names),
      handOver: await measureHandOver(stage, crews, able('line')),
      held: await measureHeld(stage, crews, able('hold')),
    };
    return subjects.map(({ name, how }) => {
      const failure = failures.get(name);
      return {
        id: name,
        how,
        serial: pairFigures(measured.serial, name),
        concurrent: pairFigures(measured.concurrent, name),
        handOver: handOverFigures(measured.handOver, name),
        held: heldFigures(measured.held, name, stage.settings.heldLocks),
        failures: failure ? [failure] : failuresOf(measured, name),
      };
    });
  } finally {
    await Promise.all([...crews.values()].map((crew) => crew.stop()));
  }
}

type Crews = ReadonlyMap<string, Crew>;

function measurePairs(
  { settings, say }: Stage,
  crews: Crews,
  names: readonly string[],
  atOnce: number,
): Promise<ReadonlyMap<string, Compared<PairSliceFigures>>> {
  const { rounds, warmUpRounds: warmUp, sliceMs } = settings;
  return compare(names, { rounds, warmUp }, async (name, round) => {
    say(atOnce === 1 ? 'one at a time' : `${atOnce} at once`, `${name}, ${nameOfRound(round, rounds)}`);
    const { slice } = await (crews.get(name) as Crew).ask({ do: 'pairs', names: atOnce, forMs: sliceMs });
    return slice as PairSliceFigures;
  });
}

const perSecond = ({ pairs, tookMs }: PairSliceFigures): number => (pairs * 1_000) / tookMs;

function pairFigures(compared: ReadonlyMap<string, Compared<PairSliceFigures>>, name: string): PairFigures | null {
  const rounds = roundsOf(compared, name);
  if (rounds === undefined) return null;
  return {
    perSecond: spreadOf(rounds.map(perSecond)),
    p50Ms: spreadOf(rounds.map(({ pairMs }) => pairMs.p50)),
    p99Ms: spreadOf(rounds.map(({ pairMs }) => pairMs.p99)),
    ratio: ratioTo(compared, name, perSecond),
  };
}

/** The gaps of one round, in ms. */
type Gaps = readonly number[];

function measureHandOver(
  { settings, say }: Stage,
  crews: Crews,
  names: readonly string[],
): Promise<ReadonlyMap<string, Compared<Gaps>>> {
  const { rounds, warmUpRounds: warmUp, waiters, waitingProcesses } = settings;
  return compare(names, { rounds, warmUp }, async (name, round): Promise<Gaps> => {
    say(`hand-over, ${waiters} waiters`, `${name}, ${nameOfRound(round, rounds)}`);
    const crew = crews.get(name) as Crew;
    await crew.ask({ do: 'lead' });
    await crew.askWaiting({ do: 'enter' });
    // Of ours one of each process stands at the server, for all of its waiters.
    await allStand(crew, name === 'holdfast' ? waitingProcesses : waiters);
    const { atMs } = await crew.ask({ do: 'start' });
    const answers = await crew.askWaiting({ do: 'leave' });
    return gapsBetween(
      atMs as number,
      answers.flatMap(({ turns }) => turns ?? []),
    );
  });
}

async function allStand(crew: Crew, expected: number): Promise<void> {
  const look = async (): Promise<number | undefined> => (await crew.ask({ do: 'in-line' })).inLine;
  if ((await look()) === undefined) await sleep(FIRST_ASK_MS);
  else await until(`${expected} standing in line`, async () => (await look()) === expected, { limitMs: 30_000 });
}

const median = (gaps: Gaps): number => quantile(gaps, 0.5);

function handOverFigures(compared: ReadonlyMap<string, Compared<Gaps>>, name: string): HandOverFigures | null {
  const rounds = roundsOf(compared, name);
  if (rounds === undefined) return null;
  const all = rounds.flat();
  return {
    handOvers: all.length,
    p50Ms: spreadOf(rounds.map(median)),
    p99Ms: quantile(all, 0.99),
    ratio: ratioTo(compared, name, median),
  };
}

interface Kept {
  readonly takenMs: number;
  readonly clientCpuPercent: number;
  readonly releasedMs: number;
}

function measureHeld(
  { settings, say }: Stage,
  crews: Crews,
  names: readonly string[],
): Promise<ReadonlyMap<string, Compared<Kept>>> {
  const { heldRounds: rounds, heldLocks: locks, heldTtlMs } = settings;
  return compare(names, { rounds, warmUp: 0 }, async (name, round): Promise<Kept> => {
    say(`${locks.toLocaleString('en')} held locks`, `${name}, ${nameOfRound(round, rounds)}`);
    const crew = crews.get(name) as Crew;
    const kept = async (step: SubjectStep) => (await crew.ask(step)).kept as { tookMs: number; cpuMs: number };
    const taken = await kept({ do: 'take', locks });
    // In each period every lock is renewed once, whenever that begins.
    const period = await kept({ do: 'keep', forMs: heldTtlMs / 3 });
    const released = await kept({ do: 'give' });
    return {
      takenMs: taken.tookMs,
      clientCpuPercent: (period.cpuMs * 100) / period.tookMs,
      releasedMs: released.tookMs,
    };
  });
}

function heldFigures(compared: ReadonlyMap<string, Compared<Kept>>, name: string, locks: number): HeldFigures | null {
  const rounds = roundsOf(compared, name);
  if (rounds === undefined) return null;
  const taken = ({ takenMs }: Kept): number => (locks * 1_000) / takenMs;
  const cpu = ({ clientCpuPercent }: Kept): number => clientCpuPercent;
  return {
    takenPerSecond: spreadOf(rounds.map(taken)),
    releasedPerSecond: spreadOf(rounds.map(({ releasedMs }) => (locks * 1_000) / releasedMs)),
    clientCpuPercent: spreadOf(rounds.map(cpu)),
    takenRatio: ratioTo(compared, name, taken),
    clientCpuRatio: ratioTo(compared, name, cpu),
  };
}

function roundsOf<Measured>(
  compared: ReadonlyMap<string, Compared<Measured>>,
  name: string,
): readonly Measured[] | undefined {
  const found = compared.get(name);
  return found === undefined || 'failed' in found ? undefined : found.rounds;
}

function failuresOf(
  measured: Readonly<Record<MeasureId, ReadonlyMap<string, Compared<unknown>>>>,
  name: string,
): readonly Failure[] {
  return (Object.keys(measured) as MeasureId[]).flatMap((measure) => {
    const found = measured[measure].get(name);
    return found !== undefined && 'failed' in found ? [{ measure, reason: found.failed }] : [];
  });
}
