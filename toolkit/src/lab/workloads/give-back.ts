import type { Fault } from '../faults/fault.ts';
import type { Scene } from '../scene.ts';
import { ANSWER_LIMIT_MS, acquireFree, work } from './steps.ts';
import { takeOver } from './take-over.ts';

/** So long that nobody takes the end of the TTL for a release: one that works costs nothing of it. */
const SHORTEST_TTL_MS = 10_000;

/** Within which part of its TTL a lock that was given back must be to be had; what ends by itself takes longer. */
const PART_OF_TTL = 0.5;

/** Before anything goes wrong, A gives the lock back and B, who waits, gets it. Without that there is nothing more to see. */
export async function giveBackThenTakeOver(scene: Scene, fault: Fault): Promise<void> {
  if (await giveBack(scene)) await takeOver(scene, fault);
}

async function giveBack(scene: Scene): Promise<boolean> {
  const { A, B } = scene.holders;
  const ttlMs = Math.max(SHORTEST_TTL_MS, scene.timing.ttlMs);
  scene.report('A takes the lock, B waits');
  await acquireFree(scene, A, ttlMs);
  await work(A);
  await A.ask('finish', {});
  const waitMs = PART_OF_TTL * ttlMs;
  const waits = B.ask('acquire', { name: scene.lockName, ttlMs, waitMs }, waitMs + ANSWER_LIMIT_MS);
  // Until it is awaited, a failure of it is not an unhandled one.
  waits.catch(() => {});
  await B.ask('has-begun', {});
  await A.ask('release', {}, waitMs + ANSWER_LIMIT_MS);
  const { outcome } = await waits;
  if (outcome === 'granted') await B.ask('release', {});
  return outcome === 'granted';
}
