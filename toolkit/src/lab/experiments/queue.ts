import { fencingOrder } from '../checkers/fencing-order.ts';
import { mutualExclusion } from '../checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../checkers/protected-effects.ts';
import { queue } from '../checkers/queue.ts';
import { sanity } from '../checkers/sanity.ts';
import { type Experiment, experiment } from '../experiment.ts';
import { nothing } from '../faults/nothing.ts';
import type { Timing } from '../scene.ts';
import type { ServerKind } from '../servers/find-server.ts';
import { queueUp } from '../workloads/queue-up.ts';

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

function waiting(count: number, id: string, kind: ServerKind): Experiment {
  return experiment({
    id,
    question: `When ${count} wait for the lock, does each release wake one of them, in the order of their coming?`,
    servers: 'own-one',
    kinds: [kind],
    workload: queueUp(count),
    fault: nothing,
    checkers: [sanity, queue, mutualExclusion, fencingOrder, openRegister, guardedRegister],
    needsRecovery: false,
    needsExposure: false,
    needsOrder: true,
    expected: {},
    timing,
    seedTiming: timing(0),
    takesMs: () => 3_000 + 100 * count,
    ...(count > 3 ? { onlyOnDemand: true as const } : {}),
  });
}

/** E5: three clients. */
export const zkQueue: Experiment = waiting(3, 'zk-queue', 'zookeeper');
export const zkQueue100: Experiment = waiting(100, 'zk-queue-100', 'zookeeper');
export const etcdQueue: Experiment = waiting(3, 'etcd-queue', 'etcd');
export const etcdQueue100: Experiment = waiting(100, 'etcd-queue-100', 'etcd');
