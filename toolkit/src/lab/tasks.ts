/**
 * What a check-up is going to do: each chosen experiment with each chosen subject, or why not.
 *
 * @module
 */
import type { Experiment } from './experiment.ts';
import { whyNoClock } from './faults/process-clock.ts';
import type { Guarantee, Run, Verdict } from './result.ts';
import type { Timing } from './scene.ts';
import type { ServerKind, ServerProgram, ServerPrograms } from './servers/find-server.ts';
import type { SubjectSource } from './subjects/load-subject.ts';

/** A lock to be examined, as far as the lab must know it without loading it. */
export interface ChosenSubject {
  readonly name: string;
  /** What a holder process loads. */
  readonly source: SubjectSource;
  readonly server: ServerKind | 'none';
  readonly followsSentinels: boolean;
  /** Whether its URL may name the nodes of a cluster. */
  readonly followsClusters?: boolean;
  readonly needsReplica?: boolean;
  readonly needsTwoReplicas?: boolean;
  /** As in `BuiltInSubject`. */
  readonly patienceMs?: number;
  readonly onlyOnDemand?: readonly string[];
  readonly doesNotApply?: Readonly<Record<string, string>>;
  /** Why it cannot work on the user's own server. */
  readonly cannotWorkThere?: string;
  /** Whether it is one of ours, so that we know what to expect of it. */
  readonly isOurs: boolean;
}

export interface Task {
  readonly experiment: Experiment;
  readonly subject: ChosenSubject;
  readonly timing: Timing;
  readonly expected: Verdict;
  /** Why it cannot take place. */
  readonly notRun: string | undefined;
}

/** What a reader of the results must know about what was planned. */
export function summariesOf(
  tasks: readonly Task[],
  guarantees: ReadonlyMap<string, Guarantee>,
): Pick<Run, 'experiments' | 'subjects'> {
  const experiments = new Map(tasks.map(({ experiment: { id, question } }) => [id, { id, question }]));
  const subjects = new Map(
    tasks.map(({ subject: { name, server, isOurs } }) => {
      const origin = !isOurs ? 'yours' : name.startsWith('holdfast:') ? 'holdfast' : 'by-hand';
      const guarantee = guarantees.get(name);
      return [name, { name, server, origin, ...(guarantee ? { guarantee } : {}) } as const];
    }),
  );
  return { experiments: [...experiments.values()], subjects: [...subjects.values()] };
}

export interface Circumstances {
  readonly platform: NodeJS.Platform;
  readonly programs: ServerPrograms;
  readonly strace: ServerProgram;
  readonly pgbouncer: ServerProgram;
  /** Why no line of the network can be cut here. */
  readonly whyNoLine: string | undefined;
  /** Nothing was named, and not all was asked for: what takes long is left out. */
  readonly isQuick: boolean;
  /** Experiments were named, so that of each it is said why it is not run. */
  readonly experimentsNamed: boolean;
  /** The user's own server. */
  readonly url: string | undefined;
}

export function planTasks(
  experiments: readonly Experiment[],
  subjects: readonly ChosenSubject[],
  timingOf: (experiment: Experiment) => Timing,
  circumstances: Circumstances,
): readonly Task[] {
  return experiments.flatMap((experiment) =>
    subjectsOf(experiment, subjects, circumstances).map((subject) => ({
      experiment,
      subject,
      timing: {
        ...timingOf(experiment),
        ...(subject.patienceMs === undefined ? {} : { patienceMs: subject.patienceMs }),
      },
      expected: (subject.isOurs && experiment.expected[subject.name]) || 'safe',
      notRun: obstacle(experiment, subject, circumstances),
    })),
  );
}

/** Those that it is about; if it is about none of them, all, to say why not, where it was asked for by its name. */
function subjectsOf(
  experiment: Experiment,
  subjects: readonly ChosenSubject[],
  { experimentsNamed }: Circumstances,
): readonly ChosenSubject[] {
  const fitting = subjects.filter((subject) => isAbout(experiment, subject));
  return fitting.length === 0 && experimentsNamed ? subjects : fitting;
}

function isAbout({ kinds }: Experiment, { server }: ChosenSubject): boolean {
  return kinds === undefined || kinds.some((kind) => kind === server);
}

const WITH_REPLICA: readonly Experiment['servers'][] = [
  'redis-replicated',
  'redis-sentinels',
  'redis-two-replicas',
  'redis-min-replicas',
  'redis-cluster',
];

function whatItDoes({ servers, waysOfACanBeCut, distanceMs, tool }: Experiment): string {
  if (servers === 'behind-pooler') return 'puts a PgBouncer before a server';
  if (waysOfACanBeCut || servers === 'behind-black-hole' || servers === 'behind-line')
    return 'cuts the way to a server';
  if (distanceMs !== undefined) return 'puts a server far away';
  if (tool === 'clock') return 'moves the clock of a server';
  return servers === 'own-one' ? 'looks into a server' : 'kills or stops a server';
}

function obstacle(experiment: Experiment, subject: ChosenSubject, circumstances: Circumstances): string | undefined {
  const { servers, kinds, tool } = experiment;
  const { platform, programs, strace, pgbouncer, whyNoLine, isQuick, url } = circumstances;
  if (platform === 'win32')
    return 'The faults are signals of POSIX systems, such as SIGSTOP, which Windows does not have.';
  if (!isAbout(experiment, subject)) {
    const needs = subject.server === 'none' ? 'needs no server' : `is on ${subject.server}`;
    return `It is about ${kinds?.join(' and ')}, and ${subject.name} ${needs}.`;
  }
  const reason = subject.doesNotApply?.[experiment.id];
  if (reason !== undefined) return reason;
  if (servers !== 'one' && subject.server === 'none') {
    return `${subject.name} needs no server, so there is none that could fail over.`;
  }
  // Where it is one server as any other, the lab gives it a replica.
  const hasReplica = WITH_REPLICA.includes(servers) || (servers === 'one' && url === undefined);
  if (subject.needsTwoReplicas && servers !== 'redis-two-replicas') {
    return `${subject.name} takes no lock without two replicas.`;
  }
  if (subject.needsReplica && !hasReplica) return `${subject.name} takes no lock without a replica.`;
  if (servers === 'redis-cluster' && !subject.followsClusters) {
    return `${subject.name} does not know how to ask a cluster.`;
  }
  if (experiment.manyShareAClient && typeof subject.source !== 'string') {
    return `${subject.name} is a program that holds one lock at a time, and here many ask through one.`;
  }
  if (servers !== 'one' && url !== undefined) {
    return `It ${whatItDoes(experiment)}, and with --url the lab does nothing to a server. Without --url it starts its own.`;
  }
  if (subject.cannotWorkThere !== undefined) return subject.cannotWorkThere;
  if (subject.server !== 'none' && url === undefined) {
    const program = programs[subject.server];
    if ('missing' in program) return program.missing;
  }
  if (tool === 'clock') {
    const why = whyNoClock(platform);
    if (why !== undefined) return why;
  }
  if (tool === 'line' && whyNoLine !== undefined) return whyNoLine;
  if (tool === 'pgbouncer' && 'missing' in pgbouncer) return pgbouncer.missing;
  if (tool === 'strace' && 'missing' in strace) return strace.missing;
  // Last, since nobody can change the others by naming something.
  if (isQuick && subject.onlyOnDemand?.includes(experiment.id)) {
    return 'It was left out to save time. It is run with --all, and where a lock or an experiment is named.';
  }
  return undefined;
}
