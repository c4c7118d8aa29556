/**
 * What a check-up is going to do: each chosen experiment with each chosen subject, or why not.
 *
 * @module
 */
import type { Experiment } from './experiment.ts';
import type { Verdict } from './result.ts';
import type { Timing } from './scene.ts';
import type { ServerProgram } from './servers/find-server.ts';

/** A lock to be examined, as far as the lab must know it without loading it. */
export interface ChosenSubject {
  readonly name: string;
  /** What a holder process loads: the name of one of ours, or a file. */
  readonly source: string;
  readonly server: 'redis' | 'none';
  readonly followsSentinels: boolean;
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

export interface Circumstances {
  readonly platform: NodeJS.Platform;
  readonly redis: ServerProgram;
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
    subjects.map((subject) => ({
      experiment,
      subject,
      timing: timingOf(experiment),
      expected: (subject.isOurs && experiment.expected[subject.name]) || 'safe',
      notRun: obstacle(experiment, subject, circumstances),
    })),
  );
}

function obstacle(
  { servers }: Experiment,
  subject: ChosenSubject,
  { platform, redis, url }: Circumstances,
): string | undefined {
  if (platform === 'win32')
    return 'The faults are signals of POSIX systems, such as SIGSTOP, which Windows does not have.';
  if (servers !== 'subject' && subject.server === 'none') {
    return `${subject.name} needs no server, so there is none that could fail over.`;
  }
  if (servers !== 'subject' && url !== undefined) {
    return 'It kills a server, and with --url the lab does nothing to a server. Without --url it starts its own.';
  }
  const needsRedis = subject.server === 'redis' && url === undefined;
  return needsRedis && 'missing' in redis ? redis.missing : undefined;
}
