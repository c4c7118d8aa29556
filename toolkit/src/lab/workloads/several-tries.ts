/**
 * A holds the lock and works all the time; B asks again and again, and works whenever it is granted. Then A is through,
 * and B takes the lock after it. Nobody is killed, stopped or cut off.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../faults/fault.ts';
import type { Scene } from '../scene.ts';
import { ANSWER_LIMIT_MS, acquireFree, work } from './steps.ts';
import { patienceOf } from './take-over.ts';

/** How often the rival asks while the lock is held. */
const TRIES = 5;

export async function severalTries(scene: Scene, fault: Fault): Promise<void> {
  const { A, B } = scene.holders;
  const { lockName: name, timing, report } = scene;
  const { ttlMs, triesEveryMs: everyMs } = timing;
  report('A takes the lock');
  await acquireFree(scene, A);
  await work(A);
  await fault.inject(scene);
  report('B asks while A holds it');
  for (let tries = 0; tries < TRIES; tries++) {
    const { outcome } = await B.ask('acquire', { name, ttlMs, waitMs: 0 });
    if (outcome === 'granted') await workAndRelease(B);
    await sleep(everyMs, undefined, { signal: scene.signal });
  }
  await A.ask('finish', {});
  await A.ask('release', {});

  report('B takes it after A');
  const limitMs = patienceOf(timing);
  const { granted } = await B.ask('contend', { name, ttlMs, everyMs, limitMs }, limitMs + ANSWER_LIMIT_MS);
  if (granted) await workAndRelease(B);
}

async function workAndRelease(holder: Scene['holders']['B']): Promise<void> {
  await work(holder);
  await holder.ask('finish', {});
  await holder.ask('release', {});
}
