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
import type { ServerKind } from './servers/find-server.ts';
import type { Persistence } from './servers/persistence.ts';

export interface Experiment extends Rule {
  /** As in `holdfast checkup ID`, in results and in file names. */
  readonly id: string;
  /** What one wants to know, as a question that the verdict answers. */
  readonly question: string;
  /**
   * `one`: whatever server the subject needs, one of it, which may also be the user's. `own-one`: the same, but the lab
   * looks into it, so that it must be the lab's. `own-three`: an ensemble of three. `behind-black-hole`: the first holder's way to it can be cut. `behind-line`: the server is in a
   * network of its own, and the line that leads there from the first holder can be cut. `behind-pooler`: a
   * PgBouncer in transaction mode stands before it. `redlock-minority-apart`: of five servers of Redis, the first holder's ways to two can be cut. The
   * others are Redis: a primary with a replica, with Sentinels, with Sentinels and two replicas, with a rule of its own about replicas
   * (`min-replicas-to-write`), and three primaries of a cluster, of which one has a replica.
   */
  readonly servers:
    | 'one'
    | 'own-one'
    | 'own-three'
    | 'redlock-minority-apart'
    | 'redis-replicated'
    | 'redis-sentinels'
    | 'redis-two-replicas'
    | 'redis-min-replicas'
    | 'redis-cluster'
    | 'behind-black-hole'
    | 'behind-line'
    | 'behind-pooler';
  /** The kinds of server that it is about. Left out: all, and locks without one. */
  readonly kinds?: readonly ServerKind[];
  /** The only one of three members that the first holder talks to. Left out: it knows all of them. */
  readonly holderAsks?: 'one-follower' | 'the-leader';
  /** How long a message of a client travels, and an answer. Left out: no longer than loopback takes. */
  readonly distanceMs?: number;
  /** The first holder's ways to the servers lead over something that can be cut. */
  readonly waysOfACanBeCut?: true;
  /** What its fault needs of the system. */
  readonly tool?: 'strace' | 'pgbouncer' | 'clock' | 'line';
  /**
   * After such a silence an SQL server of the lab ends a session, as an administrator may have set it. Left out: the
   * server's own default, which is never, or eight hours.
   */
  readonly idleLimitMs?: (timing: Timing) => number;
  /** How the one Redis server keeps what it has over a restart. Left out: not at all. */
  readonly persistence?: Persistence;
  /** Several ask through one client at once, which a lock that is a program of its own cannot do. */
  readonly manyShareAClient?: boolean;
  /** Not part of a check-up without ids: it takes long, or repeats another at a larger size. */
  readonly onlyOnDemand?: true;
  readonly workload: (scene: Scene, fault: Fault) => Promise<void>;
  readonly fault: Fault;
  readonly checkers: readonly Checker[];
  /** By subject of ours; of the others, and of a user's lock, we expect what its users do: `safe`. */
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
