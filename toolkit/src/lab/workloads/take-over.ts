/**
 * A holds the lock and works, something goes wrong, B takes over and works, and A, if it still lives, goes on as code does
 * that is past its check.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../faults/fault.ts';
import type { Scene, Timing } from '../scene.ts';
import { ANSWER_LIMIT_MS, acquireFree, expectBusy, SOME_WRITES, WORK_LIMIT_MS, work } from './steps.ts';

/** How long a rival asks before the lock counts as stuck: twice the TTL, since a change of leader may restart one. */
export function patienceOf({ ttlMs, patienceMs = 0 }: Timing): number {
  return Math.max(patienceMs, 2 * ttlMs + 1_000);
}

/** Writes its course into the history, and rejects where it cannot go on. */
export async function takeOver(scene: Scene, fault: Fault): Promise<void> {
  const { A, B } = scene.holders;
  const { timing, report } = scene;
  await fault.prepare?.(scene);

  report('A takes the lock');
  await acquireFree(scene, scene.holders.A);
  const grantedAt = performance.now();
  await work(A);
  await expectBusy(scene);
  const untilFault = grantedAt + timing.faultAtMs - performance.now();
  if (untilFault > 0) await sleep(untilFault, undefined, { signal: scene.signal });

  const heal = await fault.inject(scene);
  report('B asks for the lock');
  const limitMs = patienceOf(timing) + timing.stoppedForMs;
  const asks = { name: scene.lockName, ttlMs: timing.ttlMs, everyMs: timing.triesEveryMs, limitMs };
  const { granted } = await B.ask('contend', asks, limitMs + ANSWER_LIMIT_MS);
  if (granted) {
    report('B has the lock and works');
    await work(B);
  }
  await heal?.();
  if (fault.holderSurvives) await goOn(scene, granted);
  if (!granted) return;

  // The rival's last access comes after all that the old holder has tried.
  await B.reachSteps(B.steps + 1, WORK_LIMIT_MS);
  await B.ask('finish', {});
  await B.ask('release', {});
}

/** The first holder is still in its section: it writes, then finds out, or does not, and releases what it thinks it has. */
async function goOn(scene: Scene, rivalWorks: boolean): Promise<void> {
  const { A } = scene.holders;
  await A.reachSteps(A.steps + SOME_WRITES, WORK_LIMIT_MS);
  await A.ask('finish', {});
  if (rivalWorks) {
    scene.report('is the old holder told?');
    await A.ask('observe', { limitMs: scene.timing.observeMs });
  }
  await A.ask('release', {});
}
