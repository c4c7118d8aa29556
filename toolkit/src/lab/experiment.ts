/**
 * An experiment: a question, the servers and the fault that put it, the workload that lives through that, the checkers
 * that answer, and what is expected of the locks that we know.
 *
 * @module
 */
import type { Checker } from './checkers/checker.ts';
import type { Fault } from './faults/fault.ts';
import type { Rule, Verdict } from './result.ts';
import type { Scene, Timing } from './scene.ts';

export interface Experiment extends Rule {
  /** As in `holdfast checkup ID`, in results and in file names. */
  readonly id: string;
  /** What one wants to know, as a question that the verdict answers. */
  readonly question: string;
  /** `subject`: whatever server the subject needs, one of it. The others are Redis. */
  readonly servers: 'subject' | 'redis-replicated' | 'redis-sentinels';
  readonly workload: (scene: Scene, fault: Fault) => Promise<void>;
  readonly fault: Fault;
  readonly checkers: readonly Checker[];
  /** By subject of ours. Of a user's lock we expect what its users do: `safe`. */
  readonly expected: Readonly<Record<string, Verdict>>;
  /** How long things last, for a TTL. */
  readonly timing: (ttlMs: number) => Timing;
  /** The timing of the experiment that this one repeats for real. */
  readonly seedTiming: Timing;
  /** About how long one run takes, for the time that is left. */
  readonly takesMs: (timing: Timing) => number;
}

/** Gives it back; it is there so that an experiment's file reads as one, and is checked as one. */
export function experiment(description: Experiment): Experiment {
  return description;
}
