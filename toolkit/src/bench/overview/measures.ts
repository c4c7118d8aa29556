/**
 * What is measured on one backend: pairs, hand-over and held locks, of all subjects in alternating rounds. Each subject
 * has processes of its own: one for its pairs, for what it holds, and to lead the line; two that wait.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reaper } from '../../lab/reaper.ts';
import { until, within } from '../../lab/until.ts';
import { nameOfRound } from '../bench.ts';
import { quantile, spreadOf } from '../statistics.ts';
import type { Kind, SubjectId } from '../subjects/subject.ts';
import type { PairSliceFigures, SubjectAnswer, SubjectStep } from '../tasks.ts';
import { gapsBetween } from '../turns.ts';
import { Worker } from '../worker.ts';
import { type Compared, compare, firstLine, ratioTo } from './compare.ts';
import type {
  BenchSettings,
  Failure,
  HandOverFigures,
  HeldFigures,
  MeasureId,
  PairFigures,
  SubjectFigures,
} from './document.ts';

/** A subject that is measured, as it stands in the results. */
export interface NamedSubject {
  readonly name: string;
  readonly how: string;
  readonly id: SubjectId;
}

export interface Settings extends BenchSettings {
  readonly warmUpRounds: number;
  /** For how long each subject acquires and releases before anything is measured. */
  readonly warmUpMs: number;
}

export interface Stage {
  readonly reaper: Reaper;
  readonly kind: Kind;
  readonly url: string;
  readonly settings: Settings;
  /** Says what is being done, for people who wait. */
  readonly say: (measure: string, detail: string) => void;
}

const LINE = 'line';

/** Whoever only asks again and again has asked for the first time by then. */
const FIRST_ASK_MS = 100;

/** A subject that does not answer for so long has failed. */
const ANSWER_LIMIT_MS = 90_000;

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

/** The processes of one subject. */
class Crew {
  readonly #first: Worker<'subject'>;
  readonly #waiting: readonly Worker<'subject'>[];
  #abilities: { readonly line: boolean; readonly hold: boolean } = { line: false, hold: false };

  constructor({ reaper, kind, url, settings }: Stage, id: SubjectId) {
    const { waiters, waitingProcesses, heldTtlMs } = settings;
    const start = (here: number): Worker<'subject'> =>
      new Worker(reaper, 'subject', { kind, id, url, ttlMs: heldTtlMs, line: { name: LINE, waiters: here } });
    this.#first = start(1);
    this.#waiting = Array.from({ length: waitingProcesses }, (_, at) =>
      start(Math.floor((waiters + at) / waitingProcesses)),
    );
  }

  can(ability: 'pairs' | 'line' | 'hold'): boolean {
    return ability === 'pairs' || this.#abilities[ability];
  }

  ask(step: SubjectStep): Promise<SubjectAnswer> {
    return answered(step, this.#first);
  }

  askWaiting(step: SubjectStep): Promise<readonly SubjectAnswer[]> {
    return Promise.all(this.#waiting.map((worker) => answered(step, worker)));
  }

  async warmUp({ names, warmUpMs }: Settings): Promise<void> {
    const { abilities } = await this.ask({ do: 'abilities' });
    if (abilities) this.#abilities = abilities;
    await this.askWaiting({ do: 'abilities' });
    for (const atOnce of [names, 1]) await this.ask({ do: 'pairs', names: atOnce, forMs: warmUpMs });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#first, ...this.#waiting].map((worker) => worker.stop()));
  }
}

function answered(step: SubjectStep, worker: Worker<'subject'>): Promise<SubjectAnswer> {
  return within(`An answer to "${step.do}"`, worker.ask(step), ANSWER_LIMIT_MS);
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
