/**
 * The same as a take-over, but for the first holder's code: it looks at its lease before each access, and stops when the
 * lock says that it is lost. That is all that can be done where no token is checked; what goes wrong then is the lock's own
 * doing.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../faults/fault.ts';
import type { Scene } from '../scene.ts';
import { ANSWER_LIMIT_MS, acquireFree, expectBusy, WORK_LIMIT_MS, work } from './steps.ts';
import { patienceOf } from './take-over.ts';

export async function heedTheLease(scene: Scene, fault: Fault): Promise<void> {
  const { A, B } = scene.holders;
  const { timing, report, lockName, signal } = scene;
  await fault.prepare?.(scene);

  report('A takes the lock');
  await acquireFree(scene, A);
  const grantedAt = performance.now();
  await work(A, { heeds: true });
  await expectBusy(scene);
  const untilFault = grantedAt + timing.faultAtMs - performance.now();
  if (untilFault > 0) await sleep(untilFault, undefined, { signal });

  const heal = await fault.inject(scene);
  report('B asks for the lock');
  const limitMs = patienceOf(timing);
  const asks = { name: lockName, ttlMs: timing.ttlMs, everyMs: timing.triesEveryMs, limitMs };
  const { granted } = await B.ask('contend', asks, limitMs + ANSWER_LIMIT_MS);
  if (granted) {
    report('B has the lock and works');
    await work(B, { heeds: true });
    report('is A told?');
    await A.ask('observe', { limitMs: timing.observeMs });
  }
  await heal?.();
  await A.ask('finish', {});
  await A.ask('release', {});
  if (!granted) return;
  await B.reachSteps(B.steps + 1, WORK_LIMIT_MS);
  await B.ask('finish', {});
  await B.ask('release', {});
}
