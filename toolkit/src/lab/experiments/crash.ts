import { fencingOrder } from '../checkers/fencing-order.ts';
import { handOver } from '../checkers/hand-over.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { recovery } from '../checkers/recovery.ts';
import { sanity } from '../checkers/sanity.ts';
import { type Experiment, experiment } from '../experiment.ts';
import { killHolder } from '../faults/kill-holder.ts';
import { giveBackThenTakeOver } from '../workloads/give-back.ts';

/**
 * E1: the holder is killed and never releases. Its TTL, or its session, must free the lock. Before that it is given back
 * once, since a release that does nothing costs a TTL each time, and no other experiment would show it so plainly.
 */
const crash: Experiment = experiment({
  id: 'crash',
  question: 'When its holder is killed, does the lock come free again, with the data intact?',
  servers: 'one',
  workload: giveBackThenTakeOver,
  fault: killHolder,
  checkers: [sanity, handOver, recovery, mutualExclusion, fencingOrder, openRegister, guardedRegister],
  needsHandOver: true,
  needsRecovery: true,
  needsExposure: false,
  // Every lock that has a TTL, or hangs on a session, comes free.
  expected: { 'table-row': 'unsafe' },
  timing: (ttlMs) => ({ ttlMs, triesEveryMs: 50, faultAtMs: 0, stoppedForMs: 0, observeMs: 0 }),
  seedTiming: { ttlMs: 10_000, triesEveryMs: 200, faultAtMs: 0, stoppedForMs: 0, observeMs: 0 },
  takesMs: ({ ttlMs }) => ttlMs + 1_500,
});

export default crash;
