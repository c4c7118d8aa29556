import { exposure } from '../checkers/exposure.ts';
import { fencingOrder } from '../checkers/fencing-order.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { recovery } from '../checkers/recovery.ts';
import { sanity } from '../checkers/sanity.ts';
import { type Experiment, experiment } from '../experiment.ts';
import { failoverByHand } from '../faults/failover-by-hand.ts';
import { failoverBySentinels } from '../faults/failover-by-sentinels.ts';
import type { Timing } from '../scene.ts';
import { takeOver } from '../workloads/take-over.ts';

/** Two holders at once is the truth here for every lock on Redis; only a token and a guard save the data. */
const expected = { setnx: 'unsafe', 'setnx-watchdog': 'unsafe', 'holdfast:redis': 'safe' } as const;

const checkers = [sanity, exposure, mutualExclusion, fencingOrder, openRegister, guardedRegister, recovery];

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

/** E3: the primary dies before the lock has reached its replica, and an operator promotes the replica. */
export const failover: Experiment = experiment({
  id: 'failover',
  question:
    'When the primary dies before the lock has reached the replica that is then promoted, do two holders damage the data?',
  servers: 'redis-replicated',
  kinds: ['redis'],
  workload: takeOver,
  fault: failoverByHand,
  checkers,
  needsRecovery: false,
  needsExposure: true,
  expected,
  timing,
  seedTiming: timing(30_000),
  takesMs: ({ observeMs }) => observeMs + 2_000,
});

/** E3 with three Sentinels, which promote the replica by themselves, and a client that follows them. */
export const failoverSentinel: Experiment = experiment({
  id: 'failover-sentinel',
  question: 'The same, when three Sentinels promote the replica by themselves and the clients follow them?',
  servers: 'redis-sentinels',
  kinds: ['redis'],
  workload: takeOver,
  fault: failoverBySentinels,
  checkers,
  needsRecovery: false,
  needsExposure: true,
  expected,
  timing,
  seedTiming: timing(30_000),
  takesMs: ({ observeMs }) => observeMs + 6_500,
});
