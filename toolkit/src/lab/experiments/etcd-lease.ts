import { fencingOrder } from '../checkers/fencing-order.ts';
import { handOver } from '../checkers/hand-over.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { recovery } from '../checkers/recovery.ts';
import { sanity } from '../checkers/sanity.ts';
import { type Experiment, experiment } from '../experiment.ts';
import { killHolder } from '../faults/kill-holder.ts';
import { releaseThenCrash } from '../workloads/release-then-crash.ts';

/** E4: somebody waits for a lock on a lease, which is given back once, and once left by a killed holder. */
const etcdLease: Experiment = experiment({
  id: 'etcd-lease',
  question: 'How soon has a waiter the lock: when it is given back, and when its holder is killed?',
  servers: 'own-one',
  kinds: ['etcd'],
  workload: releaseThenCrash,
  fault: killHolder,
  checkers: [sanity, handOver, recovery, mutualExclusion, fencingOrder, openRegister, guardedRegister],
  needsRecovery: true,
  needsExposure: false,
  expected: {},
  timing: (ttlMs) => ({ ttlMs, triesEveryMs: 0, faultAtMs: 0, stoppedForMs: 0, observeMs: 0 }),
  seedTiming: { ttlMs: 3_000, triesEveryMs: 0, faultAtMs: 0, stoppedForMs: 0, observeMs: 0 },
  takesMs: ({ ttlMs }) => ttlMs + 2_500,
});

export default etcdLease;
