import { fencingOrder } from '../checkers/fencing-order.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { queue } from '../checkers/queue.ts';
import { sanity } from '../checkers/sanity.ts';
import { type Experiment, experiment } from '../experiment.ts';
import { nothing } from '../faults/nothing.ts';
import type { Timing } from '../scene.ts';
import { type Herd, herd as herdOf } from '../workloads/herd.ts';

/**
 * So long that nobody renews while the others line up: from its first renewal on a holder on ZooKeeper watches its own
 * node, to hear of a break, and that watch is answered as well when the node goes.
 */
const SHORTEST_TTL_MS = 60_000;

const timing = (ttlMs: number): Timing => ({
  ttlMs: Math.max(SHORTEST_TTL_MS, ttlMs),
  triesEveryMs: 0,
  faultAtMs: 0,
  stoppedForMs: 0,
  observeMs: 0,
});

type Variation = Pick<Experiment, 'id'> & Partial<Experiment>;

function waiting(size: Herd, variation: Variation): Experiment {
  const { waiters, processes, clients } = size;
  return experiment({
    question: `When ${waiters} wait for the lock, are they served in the order of their coming, and what does each hand-over cost?`,
    servers: 'one',
    workload: herdOf(size),
    fault: nothing,
    checkers: [sanity, queue, mutualExclusion, fencingOrder, openRegister, guardedRegister],
    needsRecovery: false,
    needsExposure: false,
    needsOrder: true,
    expected: {},
    timing,
    seedTiming: timing(0),
    takesMs: () => 2_000 + 300 * (processes + clients / 4) + 70 * waiters,
    ...variation,
  });
}

/** E5, with every lock. Each has a client of its own, as if it were a process, so that all stand in line at the server. */
export const herd: Experiment = waiting({ waiters: 8, processes: 1, clients: 8 }, { id: 'herd' });

/** Waiters of one process have one client, as in a program. */
export const herds: readonly Experiment[] = [
  [2, 1],
  [100, 1],
  [1_000, 1],
  [8, 8],
  [100, 8],
  [1_000, 8],
].map(([waiters = 1, processes = 1]) =>
  waiting(
    { waiters, processes, clients: processes },
    { id: `herd-${waiters}-in-${processes}`, onlyOnDemand: true, manyShareAClient: waiters > processes },
  ),
);
