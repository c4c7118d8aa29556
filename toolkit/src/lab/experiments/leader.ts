import { fencingOrder } from '../checkers/fencing-order.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { recovery } from '../checkers/recovery.ts';
import { sanity } from '../checkers/sanity.ts';
import { service } from '../checkers/service.ts';
import { type Experiment, experiment } from '../experiment.ts';
import { killHolderThenLeader, killLeader } from '../faults/kill-leader.ts';
import type { Timing } from '../scene.ts';
import type { ServerKind } from '../servers/find-server.ts';
import { holdThrough } from '../workloads/hold-through.ts';
import { takeOver } from '../workloads/take-over.ts';

/** An election takes one to two seconds. A lock that is to live through it needs some renewals before and after. */
const SHORTEST_TTL_MS = 6_000;

/** For an election that takes longer than usual. */
const ELECTION_LIMIT_MS = 4_000;

function held(id: string, kind: ServerKind): Experiment {
  const timing = (ttlMs: number): Timing => ({
    ttlMs: Math.max(SHORTEST_TTL_MS, ttlMs),
    triesEveryMs: 50,
    faultAtMs: 500,
    stoppedForMs: 0,
    observeMs: ELECTION_LIMIT_MS,
  });
  return experiment({
    id,
    question:
      'When the leader of three servers dies while the lock is held, is the lock kept, and for how long is nobody answered?',
    servers: 'own-three',
    kinds: [kind],
    workload: holdThrough,
    fault: killLeader,
    checkers: [sanity, service, mutualExclusion, fencingOrder, openRegister, guardedRegister],
    needsRecovery: false,
    needsExposure: false,
    expected: {},
    timing,
    seedTiming: timing(0),
    takesMs: ({ ttlMs }) => 2 * ttlMs + 5_000,
  });
}

function dead(id: string, kind: ServerKind): Experiment {
  // The rival's patience grows by `stoppedForMs`.
  const timing = (ttlMs: number): Timing => ({
    ttlMs,
    triesEveryMs: 50,
    faultAtMs: 0,
    stoppedForMs: ELECTION_LIMIT_MS,
    observeMs: 0,
  });
  return experiment({
    id,
    question: 'When the leader dies while the time of a killed holder runs, when does the lock come free?',
    servers: 'own-three',
    kinds: [kind],
    workload: takeOver,
    fault: killHolderThenLeader,
    checkers: [sanity, recovery, mutualExclusion, fencingOrder, openRegister, guardedRegister],
    needsRecovery: true,
    needsExposure: false,
    expected: {},
    timing,
    seedTiming: timing(3_000),
    takesMs: ({ ttlMs }) => 2 * ttlMs + 5_000,
    onlyOnDemand: true,
  });
}

export const etcdLeader: Experiment = held('etcd-leader', 'etcd');
export const zkSession: Experiment = held('zk-session', 'zookeeper');
/** The new leader begins to count anew. */
export const etcdLeaderCrash: Experiment = dead('etcd-leader-crash', 'etcd');
export const zkSessionCrash: Experiment = dead('zk-session-crash', 'zookeeper');
