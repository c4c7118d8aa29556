import type { Fault } from '../faults/fault.ts';
import type { Scene } from '../scene.ts';
import { ANSWER_LIMIT_MS, acquireFree, expectBusy, WORK_LIMIT_MS, work } from './steps.ts';
import { patienceOf } from './take-over.ts';

/**
 * A has the lock once and gives it back, so that it is connected and all is well. Then it asks for the lock again, and
 * never hears the answer; B wants it, too.
 */
export async function loseTheAnswer(scene: Scene, fault: Fault): Promise<void> {
  const { A, B } = scene.holders;
  const { timing, report, lockName: name } = scene;
  report('A takes the lock');
  await acquireFree(scene, A);
  await work(A);
  await expectBusy(scene);
  await A.ask('finish', {});
  await A.ask('release', {});
  await fault.inject(scene);
  report('B asks for the lock');
  const limitMs = patienceOf(timing);
  const asks = { name, ttlMs: timing.ttlMs, everyMs: timing.triesEveryMs, limitMs };
  const { granted } = await B.ask('contend', asks, limitMs + ANSWER_LIMIT_MS);
  if (!granted) return;
  report('B has the lock and works');
  await work(B);
  await B.reachSteps(B.steps + 1, WORK_LIMIT_MS);
  await B.ask('finish', {});
  await B.ask('release', {});
}
