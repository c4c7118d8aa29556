import type { Checker } from '../checkers/checker.ts';
import { exposure } from '../checkers/exposure.ts';
import { fencingOrder } from '../checkers/fencing-order.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { recovery } from '../checkers/recovery.ts';
import { sanity } from '../checkers/sanity.ts';
import { survival } from '../checkers/survival.ts';
import { type Experiment, experiment } from '../experiment.ts';
import { failoverByCluster } from '../faults/failover-by-cluster.ts';
import { failoverByHand, failoverInStep, failoverUnnoticed } from '../faults/failover-by-hand.ts';
import { failoverBySentinels } from '../faults/failover-by-sentinels.ts';
import { failoverToClockAhead, failoverToClockBehind } from '../faults/failover-with-clock.ts';
import type { Verdict } from '../result.ts';
import type { Timing } from '../scene.ts';
import { survive } from '../workloads/survive.ts';

/** Two holders at once is the truth here for every lock on Redis; only a token and a guard save the data. */
const lost: Readonly<Record<string, Verdict>> = {
  setnx: 'unsafe',
  'setnx-watchdog': 'unsafe',
  'holdfast:redis': 'safe',
  'holdfast:redis+wait': 'safe',
};

const checkers: readonly Checker[] = [
  sanity,
  survival,
  exposure,
  mutualExclusion,
  fencingOrder,
  openRegister,
  guardedRegister,
  recovery,
];

/**
 * A failover takes up to two seconds. With a shorter TTL the lock would run out by itself meanwhile, and one would see
 * that and not the failover.
 */
const SHORTEST_TTL_MS = 6_000;

const timing = (ttlMs: number): Timing => ({
  ttlMs: Math.max(SHORTEST_TTL_MS, ttlMs),
  triesEveryMs: 50,
  faultAtMs: 0,
  stoppedForMs: 0,
  // Long enough that a watchdog with this TTL renews once, and finds out.
  observeMs: 2_500,
});

const common = {
  kinds: ['redis'],
  workload: survive,
  checkers,
  needsRecovery: false,
  needsExposure: true,
  expected: lost,
  timing,
  seedTiming: timing(30_000),
} as const;

/** E3: the primary dies before the lock has reached its replica, and an operator promotes the replica. */
export const failover: Experiment = experiment({
  ...common,
  id: 'failover',
  question:
    'When the primary dies before the lock has reached the replica that is then promoted, do two holders damage the data?',
  servers: 'redis-replicated',
  fault: failoverByHand,
  takesMs: ({ observeMs }) => observeMs + 2_000,
});

/** E3 with three Sentinels, which promote the replica by themselves, and a client that follows them. */
export const failoverSentinel: Experiment = experiment({
  ...common,
  id: 'failover-sentinel',
  question: 'The same, when three Sentinels promote the replica by themselves and the clients follow them?',
  servers: 'redis-sentinels',
  fault: failoverBySentinels,
  takesMs: ({ observeMs }) => observeMs + 6_500,
});

/** The control: nothing lags, so that nothing is lost. */
export const replicaInStep: Experiment = experiment({
  ...common,
  id: 'replica-in-step',
  question: 'And when the replica that is promoted has got all that its primary had?',
  servers: 'redis-replicated',
  onlyOnDemand: true,
  fault: failoverInStep,
  expected: {},
  takesMs: ({ observeMs }) => observeMs + 2_000,
});

/** What `WAIT 1` does not prove: one of two replicas has it, and the other one is promoted. */
export const replicaPreferred: Experiment = experiment({
  ...common,
  id: 'replica-preferred',
  question: 'Does it help that one of two replicas has acknowledged, when the other one is preferred and promoted?',
  servers: 'redis-two-replicas',
  fault: failoverBySentinels,
  takesMs: ({ observeMs }) => observeMs + 7_000,
});

/** What `min-replicas-to-write` does not prevent: the time in which the primary does not know yet. */
export const replicaUnnoticed: Experiment = experiment({
  ...common,
  id: 'replica-unnoticed',
  question: 'Does it help that the primary writes only while it has heard of a replica within the last second?',
  servers: 'redis-min-replicas',
  onlyOnDemand: true,
  fault: failoverUnnoticed,
  takesMs: ({ observeMs }) => observeMs + 2_000,
});

/** What an acknowledgement does not prove either: keys end by the clock of whoever is the primary. */
export const replicaClock: Experiment = experiment({
  ...common,
  id: 'replica-clock',
  question: 'Does it help that a replica has acknowledged, when its clock is ahead by two TTLs and it is promoted?',
  servers: 'redis-two-replicas',
  tool: 'clock',
  onlyOnDemand: true,
  fault: failoverToClockAhead,
  takesMs: ({ observeMs }) => observeMs + 7_000,
});

/** The limit of tokens that are a server's time: here they repeat or go back, and no guard helps. */
export const replicaClockBehind: Experiment = experiment({
  ...common,
  id: 'replica-clock-behind',
  question:
    'When the clock of a replica is an hour behind, and it is promoted without the lock and the counter, do tokens go back?',
  servers: 'redis-replicated',
  tool: 'clock',
  onlyOnDemand: true,
  fault: failoverToClockBehind,
  expected: { ...lost, 'holdfast:redis': 'unsafe' },
  takesMs: ({ observeMs }) => observeMs + 2_000,
});

/** A cluster does by itself what Sentinels do for one primary. */
export const clusterFailover: Experiment = experiment({
  ...common,
  id: 'cluster-failover',
  question: 'The same, when it is a primary of a cluster, and the other nodes promote its replica?',
  servers: 'redis-cluster',
  onlyOnDemand: true,
  fault: failoverByCluster,
  takesMs: ({ observeMs }) => observeMs + 7_000,
});
