/**
 * What was asked for on the command line: which backends, which subjects on them, how many rounds, and what of it cannot
 * run here.
 *
 * @module
 */
import { UsageError } from '../../cli/usage.ts';
import type { ServerKind, ServerPrograms } from '../../lab/servers/find-server.ts';
import { BACKENDS, type BenchBackend, missingFor } from '../backends.ts';
import type { NotRun } from './document.ts';
import type { NamedSubject } from './measures.ts';
import type { Settings } from './stage.ts';

/** A lock of somebody else, as its file describes it. */
export interface TheirSubject {
  /** As it was given. */
  readonly given: string;
  /** In full. */
  readonly file: string;
  readonly name: string;
  readonly server: ServerKind | 'none';
}

export interface Planned {
  readonly backend: BenchBackend;
  readonly subjects: readonly NamedSubject[];
}

export interface Plan {
  readonly planned: readonly Planned[];
  readonly notRun: readonly NotRun[];
}

/** Throws a UsageError that says what there is to choose from. */
export function planBench(names: readonly string[], theirs: readonly TheirSubject[], programs: ServerPrograms): Plan {
  for (const name of names) {
    if (BACKENDS.some(({ id }) => id === name)) continue;
    throw new UsageError(`There is no backend "${name}". There are ${BACKENDS.map(({ id }) => id).join(', ')}.`);
  }
  checkNames(theirs);
  const chosen = BACKENDS.filter((backend) =>
    names.length > 0
      ? names.includes(backend.id)
      : theirs.length === 0 || theirs.some((subject) => homeOf(subject) === backend.id),
  );
  const homeless = theirs.filter((subject) => !chosen.some(({ kind }) => kind === homeOf(subject)));
  const [first] = homeless;
  if (first !== undefined && homeless.length === theirs.length) {
    throw new UsageError(`${first.name} needs ${homeOf(first)}, which is not among what was named.`);
  }
  const notRun: NotRun[] = chosen.flatMap((backend) => {
    const reason = missingFor(backend, programs);
    return reason === undefined ? [] : [{ name: backend.id, reason }];
  });
  for (const subject of homeless) {
    notRun.push({ name: subject.name, reason: `It needs ${homeOf(subject)}, which is not among what was named.` });
  }
  const planned = chosen
    .filter((backend) => missingFor(backend, programs) === undefined)
    .map((backend) => ({ backend, subjects: subjectsOn(backend, theirs) }));
  return { planned, notRun };
}

function checkNames(theirs: readonly TheirSubject[]): void {
  const taken = new Set(['holdfast', 'raw']);
  for (const { name } of theirs) {
    if (taken.has(name)) throw new UsageError(`Two subjects are called "${name}". Give yours another name.`);
    taken.add(name);
  }
}

/** Where a subject is measured by default, and what kind of backend it is held against. */
function homeOf({ server }: TheirSubject): ServerKind | 'sqlite' {
  return server === 'none' ? 'sqlite' : server;
}

function subjectsOn(backend: BenchBackend, theirs: readonly TheirSubject[]): readonly NamedSubject[] {
  const { raw, rawHandOver, kind } = backend;
  const how = rawHandOver === undefined ? raw : `${raw}; hand-over: ${rawHandOver}`;
  return [
    { name: 'holdfast', how: `holdfast/${kind}`, id: 'holdfast' },
    ...(how === undefined ? [] : [{ name: 'raw', how, id: 'raw' } as const]),
    ...theirs
      .filter((subject) => homeOf(subject) === kind)
      .map(({ name, given, file }) => ({ name, how: given, id: { file } })),
  ];
}

/** Held locks are measured over a renewal period, which takes seconds: once for so many of the other rounds. */
const HELD_EACH = 3;

const ALWAYS = { names: 64, waiters: 10, waitingProcesses: 2 };
const FULL = {
  ...ALWAYS,
  ...{ rounds: 7, sliceMs: 300, warmUpRounds: 2, warmUpMs: 400 },
  ...{ heldLocks: 1_000, heldTtlMs: 9_000 },
};
const QUICK = {
  ...ALWAYS,
  ...{ rounds: 2, sliceMs: 100, warmUpRounds: 1, warmUpMs: 100 },
  ...{ heldLocks: 200, heldTtlMs: 3_000 },
};

export function settingsOf({ quick, rounds: given }: { readonly quick?: true; readonly rounds?: string }): Settings {
  const usual = quick ? QUICK : FULL;
  const rounds = given === undefined ? usual.rounds : Number(given);
  if (!Number.isInteger(rounds) || rounds < 1) throw new UsageError('--rounds must be a whole number from 1.');
  return { ...usual, rounds, heldRounds: Math.ceil(rounds / HELD_EACH) };
}

/** About how long one backend takes, to say how much is left. */
export function expectedMs({ backend, subjects }: Planned, settings: Settings): number {
  const { rounds, warmUpRounds, warmUpMs, sliceMs, heldRounds, heldLocks, heldTtlMs } = settings;
  const eachMs = subjects.map(({ id }) => {
    const isTheirs = typeof id === 'object'; // who waits there asks now and then
    const handOverMs = isTheirs ? 1_500 : backend.id === 'memory' ? 0 : 150;
    const heldMs = isTheirs ? 0 : heldRounds * (heldTtlMs / 3 + 0.7 * heldLocks);
    return 700 + 2 * warmUpMs + (rounds + warmUpRounds) * (2 * sliceMs + handOverMs) + heldMs;
  });
  return eachMs.reduce((sum, one) => sum + one, backend.server === undefined ? 0 : 2_500);
}
