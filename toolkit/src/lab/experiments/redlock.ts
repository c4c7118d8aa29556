import { fencingOrder } from '../checkers/fencing-order.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { recovery } from '../checkers/recovery.ts';
import { sanity } from '../checkers/sanity.ts';
import { service } from '../checkers/service.ts';
import { type Experiment, experiment } from '../experiment.ts';
import type { Fault } from '../faults/fault.ts';
import { lateRestartOfThree, restartInTurn, restartOfThree } from '../faults/restart-server.ts';
import type { Timing } from '../scene.ts';
import { heedTheLease } from '../workloads/heed-the-lease.ts';
import { holdThrough } from '../workloads/hold-through.ts';

const timing = (ttlMs: number): Timing => ({
  ttlMs,
  triesEveryMs: 50,
  faultAtMs: 0,
  stoppedForMs: 0,
  observeMs: 1.2 * ttlMs,
});

function ofThree(id: string, question: string, fault: Fault, more: Partial<Experiment>): Experiment {
  return experiment({
    id,
    question,
    servers: 'redlock-minority-apart',
    kinds: ['redlock'],
    workload: heedTheLease,
    fault,
    checkers: [sanity, mutualExclusion, fencingOrder, openRegister, guardedRegister, recovery],
    needsRecovery: false,
    needsExposure: false,
    expected: {},
    timing,
    seedTiming: timing(10_000),
    takesMs: ({ ttlMs }) => 2 * ttlMs + 2_000,
    ...more,
  });
}

/** The hole that everybody knows: one server votes twice. */
export const redlockRestart: Experiment = ofThree(
  'redlock-restart',
  'When one of the three servers that a holder reaches restarts empty at once, do two hold, although both heed their leases?',
  restartOfThree,
  { expected: { 'holdfast:redlock': 'unsafe' } },
);

/** The remedy for it. */
export const redlockRestartLate: Experiment = ofThree(
  'redlock-restart-late',
  'And when that server stays away for a whole TTL before it comes back empty?',
  lateRestartOfThree,
  { onlyOnDemand: true },
);

const inTurn = (ttlMs: number): Timing => ({ ...timing(ttlMs), faultAtMs: 0.2 * ttlMs, observeMs: 4 * ttlMs });

/** A rolling upgrade of servers that keep nothing. */
export const redlockRestartInTurn: Experiment = experiment({
  id: 'redlock-restart-in-turn',
  question:
    'When three of five servers restart empty one after the other, with a renewal in between, is the lock kept?',
  servers: 'own-one',
  kinds: ['redlock'],
  workload: holdThrough,
  fault: restartInTurn,
  checkers: [sanity, service, mutualExclusion, fencingOrder, openRegister, guardedRegister],
  needsRecovery: false,
  needsExposure: false,
  expected: {},
  timing: inTurn,
  seedTiming: inTurn(10_000),
  takesMs: ({ ttlMs }) => 5 * ttlMs + 2_000,
  onlyOnDemand: true,
});
