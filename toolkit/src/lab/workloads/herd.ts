/**
 * A holds the lock, and others come to wait for it, one after the other. Then A gives it back, and each of them gives it
 * to the next.
 *
 * @module
 */
import type { Holder } from '../holder.ts';
import type { Scene } from '../scene.ts';
import { acquireFree, expectBusy, work } from './steps.ts';

export interface Herd {
  readonly waiters: number;
  readonly processes: number;
  /** Through how many clients they ask: one a waiter, or one a process, as a program has it. */
  readonly clients: number;
}

/** How long a waiter waits for its turn, whatever comes before it. */
const PATIENCE_MS = 60_000;

/** How long each turn may take, its hand-over included. */
const TURN_LIMIT_MS = 500;

/** How long it may take until the server knows of a waiter. */
const SEEN_LIMIT_MS = 10_000;

export function herd(size: Herd): (scene: Scene) => Promise<void> {
  const { waiters: count } = size;
  const patienceMs = PATIENCE_MS + TURN_LIMIT_MS * count;
  return async (scene) => {
    const { A } = scene.holders;
    scene.report('A takes the lock');
    await acquireFree(scene, A);
    await work(A);
    await expectBusy(scene);
    scene.report('the waiters connect');
    const crowds = await gather(scene, size);

    const asks = { name: scene.lockName, ttlMs: scene.timing.ttlMs, waitMs: patienceMs };
    for (let number = 1; number <= count; number++) {
      scene.report(`${number - 1} of ${count} wait`);
      const crowd = crowds[(number - 1) % crowds.length] as Holder;
      // Those who find somebody of their own client before them wait in their process, and the server is not told of them.
      const place = number <= size.clients ? number : null;
      await crowd.ask('line-up', { waiter: `W${number}`, place, ...asks }, SEEN_LIMIT_MS);
    }

    scene.report('the lock goes from one to the next');
    await noteCounts(scene);
    await A.ask('finish', {});
    await A.ask('release', {});
    const problems = await Promise.all(crowds.map((crowd) => crowd.ask('served', {}, patienceMs)));
    await noteCounts(scene);
    const [problem] = problems.flat();
    if (problem !== undefined) throw new Error(problem);
  };
}

/** The rival's process and so many more, each with its share of the clients; waiters are dealt out one by one. */
async function gather(scene: Scene, { waiters, processes, clients }: Herd): Promise<readonly Holder[]> {
  const more = Array.from({ length: processes - 1 }, (_, index) => scene.startProcess(`P${index + 2}`));
  const crowds = [scene.holders.B, ...(await Promise.all(more))];
  await Promise.all(
    crowds.map((crowd, index) => {
      const names = Array.from({ length: waiters }, (_, at) => `W${at + 1}`).filter(
        (_, at) => at % processes === index,
      );
      return crowd.ask('gather', { ...scene.opening, waiters: names, clients: clients / processes });
    }),
  );
  return crowds;
}

async function noteCounts(scene: Scene): Promise<void> {
  const counts = await scene.cluster.counts?.();
  if (counts) scene.history.write({ f: 'counted', type: 'event', ...counts });
}
