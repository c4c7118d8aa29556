import { exposure } from '../checkers/exposure.ts';
import { fencingOrder } from '../checkers/fencing-order.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { recovery } from '../checkers/recovery.ts';
import { sanity } from '../checkers/sanity.ts';
import { service } from '../checkers/service.ts';
import { type Experiment, experiment } from '../experiment.ts';
import { clockOfOne, clockOfOneOfFive, clockOfOneOfThree, clocksOfMajority } from '../faults/clock-jump.ts';
import type { Fault } from '../faults/fault.ts';
import type { Timing } from '../scene.ts';
import { heedTheLease } from '../workloads/heed-the-lease.ts';
import { holdThrough } from '../workloads/hold-through.ts';
import { takeOver } from '../workloads/take-over.ts';

const timing = (ttlMs: number): Timing => ({
  ttlMs,
  triesEveryMs: 50,
  faultAtMs: 0,
  stoppedForMs: 0,
  observeMs: 1.2 * ttlMs,
});

const common = {
  tool: 'clock',
  needsRecovery: false,
  timing,
  seedTiming: timing(10_000),
  takesMs: ({ ttlMs }: Timing): number => 2 * ttlMs + 2_000,
} as const;

/** Moving a date takes up to a second on a busy machine, and a third of the TTL later the holder learns what came of it. */
const SHORTEST_TTL_MS = 6_000;

/** The keys of Redis end by the date of its machine, and so do lease rows. */
export const clock: Experiment = experiment({
  ...common,
  id: 'clock',
  question: "When the server's clock jumps ahead by two TTLs, do two holders damage the data?",
  servers: 'own-one',
  kinds: ['redis', 'postgres', 'mysql'],
  workload: takeOver,
  fault: clockOfOne,
  checkers: [sanity, exposure, mutualExclusion, fencingOrder, openRegister, guardedRegister, recovery],
  needsExposure: true,
  expected: { setnx: 'unsafe', 'setnx-watchdog': 'unsafe', 'holdfast:redis': 'safe' },
  timing: (given) => {
    const ttlMs = Math.max(SHORTEST_TTL_MS, given);
    return { ...timing(ttlMs), observeMs: 0.6 * ttlMs };
  },
});

type Variation = Pick<Experiment, 'servers'> & Partial<Experiment>;

function ofQuorum(id: string, question: string, fault: Fault, variation: Variation): Experiment {
  return experiment({
    ...common,
    id,
    question,
    kinds: ['redlock'],
    workload: heedTheLease,
    fault,
    checkers: [sanity, mutualExclusion, fencingOrder, openRegister, guardedRegister, recovery],
    needsExposure: false,
    expected: { 'holdfast:redlock': 'unsafe' },
    ...variation,
  });
}

/** Kleppmann's example. */
export const clockOneOfThree: Experiment = ofQuorum(
  'clock-one-of-three',
  'When the clock of one of the three servers that a holder reaches jumps, do two hold, although both heed their leases?',
  clockOfOneOfThree,
  { servers: 'redlock-minority-apart' },
);

export const clockMajority: Experiment = ofQuorum(
  'clock-majority',
  'When the clocks of three of five servers jump at once, do two hold, although both heed their leases?',
  clocksOfMajority,
  { servers: 'own-one', timing: (ttlMs) => timing(Math.max(SHORTEST_TTL_MS, ttlMs)) },
);

const held = (ttlMs: number): Timing => ({ ...timing(ttlMs), faultAtMs: 0.2 * ttlMs });

const keeping = {
  ...common,
  servers: 'own-one',
  workload: holdThrough,
  checkers: [sanity, service, mutualExclusion, fencingOrder, openRegister, guardedRegister],
  needsExposure: false,
  expected: {},
  timing: held,
  seedTiming: held(10_000),
} as const;

/** What five servers buy. */
export const clockOneOfFive: Experiment = experiment({
  ...keeping,
  id: 'clock-one-of-five',
  question: 'When the clock of one of the five servers that have voted for a holder jumps, is the lock kept?',
  kinds: ['redlock'],
  fault: clockOfOneOfFive,
  onlyOnDemand: true,
});

/** What does not count by the date: leases of etcd, sessions of ZooKeeper and of databases. */
export const clockKept: Experiment = experiment({
  ...keeping,
  id: 'clock-kept',
  question: "When the server's clock jumps ahead by two TTLs, is a lock kept that no date ends?",
  kinds: ['etcd', 'zookeeper', 'postgres', 'mysql'],
  fault: clockOfOne,
});
