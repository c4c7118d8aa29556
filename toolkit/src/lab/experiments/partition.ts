import { exposure } from '../checkers/exposure.ts';
import { fencingOrder } from '../checkers/fencing-order.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { recovery } from '../checkers/recovery.ts';
import { sanity } from '../checkers/sanity.ts';
import { type Experiment, experiment } from '../experiment.ts';
import { stopMemberOfHolder } from '../faults/stop-member.ts';
import type { Timing } from '../scene.ts';
import { takeOver } from '../workloads/take-over.ts';

const timing = (ttlMs: number): Timing => ({
  ttlMs,
  triesEveryMs: 50,
  faultAtMs: 0.4 * ttlMs,
  stoppedForMs: 0,
  observeMs: Math.min(500, 0.3 * ttlMs),
});

/** The holder is awake and well, and the one server that it talks to says nothing any more. */
const partition: Experiment = experiment({
  id: 'partition',
  question: 'When a holder is cut off from the servers, does it know that it has lost the lock before another has it?',
  servers: 'own-three',
  kinds: ['etcd', 'zookeeper'],
  holderAsks: 'one-follower',
  workload: takeOver,
  fault: stopMemberOfHolder,
  checkers: [sanity, exposure, mutualExclusion, fencingOrder, openRegister, guardedRegister, recovery],
  needsRecovery: false,
  needsExposure: true,
  expected: { 'etcd-naive': 'unsafe' },
  timing,
  seedTiming: timing(3_000),
  takesMs: ({ ttlMs, faultAtMs }) => ttlMs + faultAtMs + 6_000,
});

export default partition;
