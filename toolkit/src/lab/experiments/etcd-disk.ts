import { exposure } from '../checkers/exposure.ts';
import { fencingOrder } from '../checkers/fencing-order.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { recovery } from '../checkers/recovery.ts';
import { sanity } from '../checkers/sanity.ts';
import { type Experiment, experiment } from '../experiment.ts';
import { hangDiskOfLeader, hangDiskOfLeaderFor } from '../faults/hang-disk.ts';
import type { Timing } from '../scene.ts';
import { takeOver } from '../workloads/take-over.ts';

/** Renewals shall be answered by the leader that hangs, for longer than an election takes. */
const SHORTEST_TTL_MS = 4_000;

const timing = (ttlMs: number): Timing => ({
  ttlMs: Math.max(SHORTEST_TTL_MS, ttlMs),
  triesEveryMs: 50,
  faultAtMs: 500,
  // The rival's patience grows by this.
  stoppedForMs: 4_000,
  observeMs: 2_500,
});

const checkers = [sanity, exposure, mutualExclusion, fencingOrder, openRegister, guardedRegister, recovery];

/** The deposed leader goes on answering renewals of a lease that its successor has ended. */
export const etcdDisk: Experiment = experiment({
  id: 'etcd-disk',
  question:
    'When the disk of the leader hangs, and it goes on answering renewals, is the lock given to another, and who notices?',
  servers: 'own-three',
  kinds: ['etcd'],
  holderAsks: 'the-leader',
  tool: 'strace',
  workload: takeOver,
  fault: hangDiskOfLeader,
  checkers,
  needsRecovery: false,
  needsExposure: true,
  expected: { 'etcd-naive': 'unsafe' },
  timing,
  seedTiming: timing(0),
  takesMs: ({ ttlMs, stoppedForMs }) => ttlMs + stoppedForMs + 6_000,
  onlyOnDemand: true,
});

/** When its disk comes back, the deposed leader ends a lease that is being renewed elsewhere. */
export const etcdDiskBack: Experiment = experiment({
  ...etcdDisk,
  id: 'etcd-disk-back',
  question: 'When the disk of a deposed leader comes back, is a lock lost that was renewed all the time?',
  holderAsks: 'one-follower',
  fault: hangDiskOfLeaderFor((ttlMs) => ttlMs + 3_000),
  takesMs: ({ ttlMs, stoppedForMs }) => 2 * ttlMs + stoppedForMs + 8_000,
});
