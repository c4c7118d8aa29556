import { exposure } from '../checkers/exposure.ts';
import { fencingOrder } from '../checkers/fencing-order.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { recovery } from '../checkers/recovery.ts';
import { sanity } from '../checkers/sanity.ts';
import { type Experiment, experiment } from '../experiment.ts';
import { cutOff, slowed, unheard, withoutAnswers } from '../faults/cut-off.ts';
import type { Fault } from '../faults/fault.ts';
import type { Timing } from '../scene.ts';
import { heedTheLease } from '../workloads/heed-the-lease.ts';
import { takeOver } from '../workloads/take-over.ts';

const timing = (ttlMs: number): Timing => ({
  ttlMs,
  triesEveryMs: 50,
  faultAtMs: 0.4 * ttlMs,
  stoppedForMs: 0,
  observeMs: Math.min(500, 0.3 * ttlMs),
  // A server that hears of renewals, late or without an answer, keeps the lock for so much longer.
  patienceMs: 4 * ttlMs,
});

/** The holder is awake and well, and the servers are; only its way to them is not. */
function cut(id: string, question: string, fault: Fault, variation: Partial<Experiment> = {}): Experiment {
  return experiment({
    id,
    question,
    // One member of them is all that the holder knows; where there are no ensembles, it is the one server.
    servers: 'own-three',
    kinds: ['redis', 'redlock', 'etcd', 'zookeeper', 'postgres', 'mysql'],
    holderAsks: 'one-follower',
    waysOfACanBeCut: true,
    workload: takeOver,
    fault,
    checkers: [sanity, exposure, mutualExclusion, fencingOrder, openRegister, guardedRegister, recovery],
    needsRecovery: false,
    needsExposure: true,
    needsExclusion: true,
    expected: {
      setnx: 'unsafe',
      'setnx-watchdog': 'unsafe',
      'etcd-naive': 'unsafe',
      // They know in time, and have no token that could refuse code which is past its check.
      'holdfast:redlock': 'unsafe',
      'holdfast:postgres-session': 'unsafe',
      'holdfast:mysql-session': 'unsafe',
    },
    timing,
    seedTiming: timing(3_000),
    takesMs: ({ ttlMs, faultAtMs }) => ttlMs + faultAtMs + 6_000,
    ...variation,
  });
}

export const partitions: readonly Experiment[] = [
  cut(
    'partition',
    'When a holder is cut off from the servers, does it know that it has lost the lock before another has it?',
    cutOff,
  ),
  cut('partition-answers', 'And when what it asks arrives, and only the answers are lost?', withoutAnswers, {
    onlyOnDemand: true,
  }),
  cut('partition-requests', 'And when what it asks does not arrive, and it would still be told?', unheard, {
    onlyOnDemand: true,
  }),
  cut('partition-slow', 'And when each message takes half a TTL, so that answers come too late?', slowed, {
    onlyOnDemand: true,
  }),
  // The best that can be done without a token: whatever is damaged here is the lock's own doing.
  cut('partition-heeded', 'And when a holder without a token looks at its lease before each access?', cutOff, {
    kinds: ['redlock'],
    workload: heedTheLease,
    checkers: [sanity, mutualExclusion, fencingOrder, openRegister, guardedRegister, recovery],
    needsExposure: false,
    expected: {},
    onlyOnDemand: true,
  }),
];
