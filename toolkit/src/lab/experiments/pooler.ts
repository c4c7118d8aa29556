import { fencingOrder } from '../checkers/fencing-order.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { sanity } from '../checkers/sanity.ts';
import { type Experiment, experiment } from '../experiment.ts';
import { nothing } from '../faults/nothing.ts';
import type { Timing } from '../scene.ts';
import { severalTries } from '../workloads/several-tries.ts';

const timing = (ttlMs: number): Timing => ({
  ttlMs,
  triesEveryMs: 50,
  faultAtMs: 0,
  stoppedForMs: 0,
  observeMs: 0,
});

/** Nothing goes wrong here, but that a session of the server belongs to nobody for longer than a transaction. */
const pooler: Experiment = experiment({
  id: 'pooler',
  question: 'Behind a PgBouncer in transaction mode, is the lock still given to one at a time?',
  servers: 'behind-pooler',
  kinds: ['postgres'],
  tool: 'pgbouncer',
  workload: severalTries,
  fault: nothing,
  checkers: [sanity, mutualExclusion, fencingOrder, openRegister, guardedRegister],
  needsRecovery: false,
  needsExposure: false,
  expected: { 'pg-advisory': 'unsafe', 'pg-advisory+tcp': 'unsafe' },
  timing,
  seedTiming: timing(3_000),
  takesMs: () => 3_000,
});

export default pooler;
