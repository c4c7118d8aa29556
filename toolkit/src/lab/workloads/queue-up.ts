import { ensembleOf } from '../faults/ensemble.ts';
import type { Holder } from '../holder.ts';
import type { Scene } from '../scene.ts';
import { until } from '../until.ts';
import { acquireFree, expectBusy, work } from './steps.ts';

/** So many processes at most: each has a share of the waiters. */
const PROCESSES_MAX = 4;

/** How long a waiter waits for its turn. */
const PATIENCE_MS = 60_000;

/** How long it may take until the server has seen a waiter. */
const SEEN_LIMIT_MS = 10_000;

/**
 * A holds the lock, and others line up for it, each when all before it are seen to wait at the server. Then A gives it
 * back, and each of them gives it to the next.
 */
export function queueUp(count: number): (scene: Scene) => Promise<void> {
  return async (scene) => {
    const { A } = scene.holders;
    const ensemble = ensembleOf(scene);
    scene.report('A takes the lock');
    await acquireFree(scene, A);
    await work(A);
    await expectBusy(scene);

    const names = Array.from({ length: count }, (_, index) => `W${index + 1}`);
    const crowds = await gather(scene, names);
    const alone = (await ensemble.watches()).open;
    for (const [index, waiter] of names.entries()) {
      scene.report(`${index} of ${count} wait`);
      const { ttlMs } = scene.timing;
      const crowd = crowds[index % crowds.length] as Holder;
      await crowd.ask('line-up', { waiter, name: scene.lockName, ttlMs, waitMs: PATIENCE_MS });
      const isSeen = async (): Promise<boolean> => (await ensemble.watches()).open > alone + index;
      await until(`${waiter} waiting at the server`, isSeen, {
        limitMs: SEEN_LIMIT_MS,
        everyMs: 5,
        signal: scene.signal,
      });
    }

    scene.report('the lock goes from one to the next');
    await noteWatches(scene, count);
    await A.ask('finish', {});
    await A.ask('release', {});
    const problems = await Promise.all(crowds.map((crowd) => crowd.ask('served', {}, PATIENCE_MS)));
    await noteWatches(scene, count);
    const [problem] = problems.flat();
    if (problem !== undefined) throw new Error(problem);
  };
}

/** Starts processes and connects the waiters, who are dealt out so that neighbours are in different ones. */
async function gather(scene: Scene, names: readonly string[]): Promise<readonly Holder[]> {
  scene.report('the waiters connect');
  const number = Math.min(names.length, PROCESSES_MAX);
  return await Promise.all(
    Array.from({ length: number }, async (_, index) => {
      const crowd = await scene.startProcess(`P${index + 1}`);
      const waiters = names.filter((_name, at) => at % number === index);
      await crowd.ask('gather', { ...scene.opening, waiters });
      return crowd;
    }),
  );
}

/** How many watches the servers have answered by now. */
async function noteWatches(scene: Scene, waiters: number): Promise<void> {
  const { answered } = await ensembleOf(scene).watches();
  scene.history.write({ f: 'watches', type: 'event', answered, waiters });
}
