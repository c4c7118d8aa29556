import { fencingOrder } from '../checkers/fencing-order.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { recovery } from '../checkers/recovery.ts';
import { sanity } from '../checkers/sanity.ts';
import { type Experiment, experiment } from '../experiment.ts';
import { cutHolder } from '../faults/cut-holder.ts';
import type { Timing } from '../scene.ts';
import { takeOver } from '../workloads/take-over.ts';

/** A session of ours may be silent for 15 s; what is not free after that is stuck for as long as one can watch. */
const SHORTEST_PATIENCE_MS = 25_000;

const timing = (ttlMs: number): Timing => ({
  ttlMs,
  triesEveryMs: 100,
  faultAtMs: 0,
  stoppedForMs: 0,
  observeMs: 0,
  patienceMs: SHORTEST_PATIENCE_MS,
});

/** The network of the holder is cut without a word. Only a limit of time can free what it holds. */
const silentCut: Experiment = experiment({
  id: 'silent-cut',
  question:
    "When the holder's network is cut and nobody is told, does the lock come free again, and who knows it first?",
  servers: 'behind-black-hole',
  kinds: ['postgres', 'mysql'],
  onlyOnDemand: true,
  workload: takeOver,
  fault: cutHolder,
  checkers: [sanity, recovery, mutualExclusion, fencingOrder, openRegister, guardedRegister],
  needsRecovery: true,
  needsExposure: false,
  expected: { 'table-row': 'unsafe', 'pg-advisory': 'unsafe', 'get-lock': 'unsafe' },
  timing,
  seedTiming: timing(10_000),
  takesMs: ({ patienceMs = 0 }) => patienceMs + 3_000,
});

export default silentCut;
