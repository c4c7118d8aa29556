/**
 * A takes a lock that nobody else wants and gives it back, again and again; then it goes from A to B and back, who waits
 * for it each time.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Holder } from '../holder.ts';
import type { Scene } from '../scene.ts';
import { ANSWER_LIMIT_MS, acquireFree, work } from './steps.ts';

/** So many pairs; the first ones also connect. */
const PAIRS = 11;

const HAND_OVERS = 6;

/** How long a waiter waits. */
const PATIENCE_MS = 30_000;

/** After so many round trips a waiter's question has come, whatever it asks first. */
const TRIPS_TO_WAIT = 6;

export async function distant(scene: Scene): Promise<void> {
  const { A, B } = scene.holders;
  const { cluster, history, lockName: name, report, signal } = scene;
  const { ttlMs } = scene.timing;
  if (!cluster.roundTripMs) throw new Error('The servers of this run are not at a distance.');
  const roundTripMs = await cluster.roundTripMs();
  history.write({ f: 'round-trip', type: 'event', tookMs: Math.round(roundTripMs * 10) / 10 });
  report('A takes the lock and gives it back, again and again');
  for (let pairs = 0; pairs < PAIRS; pairs++) {
    await acquireFree(scene, A);
    await A.ask('release', {});
  }

  report('the lock goes from one to the next');
  await acquireFree(scene, A);
  await work(A);
  let [holder, waiter]: [Holder, Holder] = [A, B];
  for (let handOvers = 0; handOvers < HAND_OVERS; handOvers++) {
    const waits = waiter.ask('acquire', { name, ttlMs, waitMs: PATIENCE_MS }, PATIENCE_MS + ANSWER_LIMIT_MS);
    waits.catch(() => {}); // until it is awaited
    await sleep(TRIPS_TO_WAIT * roundTripMs, undefined, { signal });
    await holder.ask('finish', {});
    await holder.ask('release', {});
    const { outcome } = await waits;
    if (outcome !== 'granted') throw new Error(`${waiter.by} waited for the lock and did not get it.`);
    await work(waiter);
    [holder, waiter] = [waiter, holder];
  }
  await holder.ask('finish', {});
  await holder.ask('release', {});
}
