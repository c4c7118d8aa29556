/**
 * What was asked for on the command line: which experiments, which subjects, which timing, whose server.
 *
 * @module
 */

import path from 'node:path';
import { parseDuration } from '../cli/durations.ts';
import { UsageError } from '../cli/usage.ts';
import type { Language } from '../messages/language.ts';
import type { Experiment } from './experiment.ts';
import { experiments } from './experiments/all.ts';
import { Holder } from './holder.ts';
import type { Reaper } from './reaper.ts';
import type { Timing } from './scene.ts';
import type { ServerKind, ServerPrograms } from './servers/find-server.ts';
import { type BuiltInSubject, builtInSubject, builtInSubjects } from './subjects/built-in.ts';
import { messageOf, type SubjectSource } from './subjects/load-subject.ts';
import type { ChosenSubject } from './tasks.ts';

/** What the command line says about a check-up, as text. */
export interface CheckupOptions {
  readonly list?: true;
  readonly all?: true;
  readonly subject: readonly string[];
  readonly subjectCommand: readonly string[];
  readonly url?: string;
  readonly ttl?: string;
  readonly rounds?: string;
  readonly claims?: true;
  readonly json?: string;
  readonly report?: string;
  readonly bench?: string;
  readonly lang: Language;
  readonly keep?: true;
  readonly seedTiming?: true;
}

/** Shorter than this, the time that processes take to be scheduled is larger than what is measured. */
const SHORTEST_TTL_MS = 300;
const LONGEST_TTL_MS = 10 * 60_000;

export interface Choice {
  readonly experiments: readonly Experiment[];
  readonly subjects: readonly ChosenSubject[];
  readonly timingOf: (experiment: Experiment) => Timing;
  /** How often each experiment is to be run with each subject. */
  readonly rounds: number;
  /** The user's own server. */
  readonly url: string | undefined;
}

/** Rejects with a `LockError` if the user's server refuses us, and with a UsageError that says what there is to choose from. */
export async function choose(ids: readonly string[], options: CheckupOptions, reaper: Reaper): Promise<Choice> {
  const url = options.url ?? (process.env.HOLDFAST_CHECKUP_URL || undefined);
  const ttlMs = parseDuration('--ttl', options.ttl ?? '3s');
  if (ttlMs < SHORTEST_TTL_MS || ttlMs > LONGEST_TTL_MS) {
    throw new UsageError(`--ttl must be from ${SHORTEST_TTL_MS}ms to 10m, and is ${options.ttl}.`);
  }
  if (options.all && ids.length > 0) throw new UsageError('--all is for a check-up without names of experiments.');
  const chosen = chooseExperiments(ids, options.all === true);
  const subjects = await whereTheyCanWork(await chooseSubjects(options, url, reaper), url);
  return {
    experiments: chosen,
    subjects,
    timingOf: (experiment) => (options.seedTiming ? experiment.seedTiming : experiment.timing(ttlMs)),
    rounds: parseRounds(options.rounds),
    url,
  };
}

function parseRounds(given = '1'): number {
  if (/^[1-9]\d{0,3}$/.test(given)) return Number(given);
  throw new UsageError(`--rounds must be a number from 1 to 9999, and is ${given}.`);
}

/** An id also stands for those that begin with it: `failover` for `failover-sentinel` as well. */
function chooseExperiments(ids: readonly string[], all: boolean): readonly Experiment[] {
  const matches = (experiment: Experiment, id: string): boolean =>
    experiment.id === id || experiment.id.startsWith(`${id}-`);
  for (const id of ids) {
    if (experiments.some((experiment) => matches(experiment, id))) continue;
    throw new UsageError(
      `There is no experiment "${id}". There are ${experiments.map((experiment) => experiment.id).join(', ')}.`,
    );
  }
  if (ids.length > 0) return experiments.filter((experiment) => ids.some((id) => matches(experiment, id)));
  return all ? experiments : experiments.filter(({ onlyOnDemand }) => !onlyOnDemand);
}

async function chooseSubjects(
  { subject: named, subjectCommand: commands }: Pick<CheckupOptions, 'subject' | 'subjectCommand'>,
  url: string | undefined,
  reaper: Reaper,
): Promise<readonly ChosenSubject[]> {
  // On a user's own server only locks that use it are of interest.
  const kind = url === undefined ? undefined : kindOf(url);
  const byDefault = builtInSubjects.filter(
    ({ server, makesTables, onlyWhenNamed }) =>
      !onlyWhenNamed && (url === undefined || (server === kind && !makesTables)),
  );
  const nothingNamed = named.length === 0 && commands.length === 0;
  if (nothingNamed && byDefault.length === 0) {
    throw new UsageError('None of our own subjects can use that --url. Name yours with --subject FILE.');
  }
  const subjects: ChosenSubject[] = nothingNamed ? byDefault.map(ours) : [];
  for (const name of new Set(named)) {
    const builtIn = builtInSubject(name);
    if (builtIn && url !== undefined && builtIn.server !== kind) {
      throw new UsageError(
        `${name} cannot use that --url: it needs ${builtIn.server === 'none' ? 'no server' : URLS[builtIn.server]}.`,
      );
    }
    if (builtIn?.makesTables && url !== undefined) {
      throw new UsageError(`${name} would make tables on your server. Without --url the lab starts its own.`);
    }
    subjects.push(builtIn ? ours(builtIn) : await theirs(path.resolve(name), name, reaper));
  }
  for (const command of new Set(commands)) subjects.push(await theirs({ command }, command, reaper));
  for (const [index, { name }] of subjects.entries()) {
    if (subjects.slice(index + 1).some((other) => other.name === name)) {
      throw new UsageError(
        `Two subjects are called "${name}". Give yours another name, so that results can be told apart.`,
      );
    }
  }
  return subjects;
}

/** Asks the user's server, where a lock of ours is to use it, whether it takes us and has the tables of those that need some. */
async function whereTheyCanWork(
  subjects: readonly ChosenSubject[],
  url: string | undefined,
): Promise<readonly ChosenSubject[]> {
  if (url === undefined || !subjects.some(({ name, isOurs }) => isOurs && name.startsWith('holdfast:')))
    return subjects;
  const { connect } = await import('../connect/connect.ts');
  try {
    await (await connect(url)).close();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ACCESS_DENIED') throw error;
    // What else is wrong is what the experiments will find.
    if (code !== 'CONFIG') return subjects;
    return subjects.map((subject) =>
      builtInSubject(subject.name)?.needsTables
        ? {
            ...subject,
            cannotWorkThere: `${subject.name} needs its tables there, and with --url the lab makes none. Run \`holdfast migrate\` first.`,
          }
        : subject,
    );
  }
  return subjects;
}

const URLS: Readonly<Record<ServerKind, string>> = {
  redis: 'redis:// or rediss://',
  redlock: 'redlock:// or redlocks://',
  postgres: 'postgres:// or postgresql://',
  mysql: 'mysql:// or mariadb://',
  etcd: 'etcd:// or etcds://',
  zookeeper: 'zookeeper:// or zookeepers://',
};

function kindOf(url: string): ServerKind | undefined {
  const [scheme] = /^[a-z]+:\/\//i.exec(url) ?? [];
  const kinds = Object.keys(URLS) as ServerKind[];
  return kinds.find((kind) => scheme !== undefined && URLS[kind].split(' or ').includes(scheme.toLowerCase()));
}

function ours({ load, summary, ...subject }: BuiltInSubject): ChosenSubject {
  return { ...subject, source: subject.name, isOurs: true };
}

/** Asks a file or a command in a process of its own what it is: it may hang, throw or print. */
async function theirs(source: SubjectSource, given: string, reaper: Reaper): Promise<ChosenSubject> {
  const holder = new Holder({
    reaper,
    by: 'A',
    historyFile: path.join(reaper.folder, 'describe.jsonl'),
    hideSecrets: (text) => text,
  });
  try {
    await holder.ready();
    const { name, server } = await holder.ask('describe', { subject: source });
    return { name, source, server, followsSentinels: false, isOurs: false };
  } catch (error) {
    if (typeof source !== 'string') throw new UsageError(`--subject-command '${given}': ${messageOf(error)}`);
    const known = builtInSubjects.map((subject) => subject.name).join(', ');
    throw new UsageError(`--subject ${given}: ${messageOf(error)}\nA subject is a file, or one of ${known}.`);
  } finally {
    holder.kill();
  }
}

/** For --list. */
export function listLines(programs: ServerPrograms): string[] {
  const widest = Math.max(
    ...[...experiments.map(({ id }) => `${id} *`), ...builtInSubjects.map(({ name }) => name)].map(
      ({ length }) => length,
    ),
  );
  const row = (name: string, text: string): string => `  ${name.padEnd(widest)}  ${text}`;
  return [
    'Experiments:',
    ...experiments.map(({ id, question, onlyOnDemand }) => row(onlyOnDemand ? `${id} *` : id, question)),
    '',
    '* with --all, or by its name',
    '',
    'Subjects:',
    ...builtInSubjects.map(({ name, summary }) => row(name, summary)),
    row('FILE', 'your own lock; holdfast checkup --help shows its shape'),
    row('COMMAND', 'your own lock in any language, with --subject-command'),
    '',
    'Servers:',
    ...Object.entries(programs).map(([kind, program]) => row(kind, 'file' in program ? program.file : program.missing)),
  ];
}
