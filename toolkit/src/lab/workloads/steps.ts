/**
 * What workloads are made of.
 *
 * @module
 */
import type { Holder } from '../holder.ts';
import type { Scene } from '../scene.ts';

/** The time between a read and its write. */
const COMPUTE_MS = 20;

/** How many writes count as having done some work. */
export const SOME_WRITES = 3;

/** Within what time a healthy holder does some work: it needs about 25 ms for each write. */
export const WORK_LIMIT_MS = 10_000;

/** How much longer than its `waitMs` a question for the lock may take. */
export const ANSWER_LIMIT_MS = 10_000;

/** Takes a lock that must be free. */
export async function acquireFree(scene: Scene, holder: Holder, ttlMs: number = scene.timing.ttlMs): Promise<void> {
  const acquired = await holder.ask('acquire', { name: scene.lockName, ttlMs, waitMs: ttlMs }, ttlMs + ANSWER_LIMIT_MS);
  if (acquired.outcome === 'granted') return;
  const why = acquired.outcome === 'busy' ? 'acquire() gave null' : `acquire() failed with: ${acquired.error}`;
  throw new Error(`${holder.by} could not take a lock that nobody holds: ${why}.`);
}

/** Before anything goes wrong, the rival must not get the lock. If it does, both work, and the checkers see it. */
export async function expectBusy(scene: Scene): Promise<void> {
  const { B } = scene.holders;
  const acquired = await B.ask('acquire', { name: scene.lockName, ttlMs: scene.timing.ttlMs, waitMs: 0 });
  if (acquired.outcome !== 'granted') return;
  await work(B);
  await B.ask('finish', {});
  await B.ask('release', {});
}

/** Goes into the section and does some work. It stays in there until it is told to finish, or heeds that the lease is lost. */
export async function work(holder: Holder, { heeds = false }: { readonly heeds?: boolean } = {}): Promise<void> {
  const { entered } = await holder.ask('enter', { computeMs: COMPUTE_MS, ...(heeds ? { heeds } : {}) });
  if (!entered)
    throw new Error(`${holder.by} was granted the lock, and believes() said at once that it does not hold it.`);
  await holder.reachSteps(SOME_WRITES, WORK_LIMIT_MS);
}
