import { distance as distanceChecker } from '../checkers/distance.ts';
import { fencingOrder } from '../checkers/fencing-order.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { sanity } from '../checkers/sanity.ts';
import { type Experiment, experiment } from '../experiment.ts';
import { nothing } from '../faults/nothing.ts';
import type { Timing } from '../scene.ts';
import { distant } from '../workloads/distant.ts';

const timing = (ttlMs: number): Timing => ({
  ttlMs,
  triesEveryMs: 0,
  faultAtMs: 0,
  stoppedForMs: 0,
  observeMs: 0,
});

/** Nothing goes wrong here, but that it takes its time. */
function at(distanceMs: number, variation: Pick<Experiment, 'id'> & Partial<Experiment>): Experiment {
  return experiment({
    question: `With the store ${distanceMs} ms away, how many round trips do a pair of acquire and release and a hand-over take?`,
    servers: 'own-one',
    kinds: ['redis', 'redlock', 'etcd', 'zookeeper', 'postgres', 'mysql'],
    distanceMs,
    workload: distant,
    fault: nothing,
    checkers: [sanity, distanceChecker, mutualExclusion, fencingOrder, openRegister, guardedRegister],
    needsRecovery: false,
    needsExposure: false,
    expected: {},
    timing,
    seedTiming: timing(3_000),
    takesMs: () => 2_500 + 150 * distanceMs,
    ...variation,
  });
}

/** Another building, another region, another continent. */
export const distances: readonly Experiment[] = [
  at(10, { id: 'distance' }),
  at(1, { id: 'distance-1', onlyOnDemand: true }),
  at(50, { id: 'distance-50', onlyOnDemand: true }),
];
