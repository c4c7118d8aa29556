import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../faults/fault.ts';
import type { Scene } from '../scene.ts';
import { ANSWER_LIMIT_MS, acquireFree, WORK_LIMIT_MS, work } from './steps.ts';

/**
 * A holds the lock and works, B asks for it all the time, something happens to a server, and A works on for longer than
 * its TTL. Then A gives the lock back, and B is to get it.
 */
export async function holdThrough(scene: Scene, fault: Fault): Promise<void> {
  const { A, B } = scene.holders;
  const { timing, report, signal, lockName } = scene;
  report('A takes the lock');
  await acquireFree(scene, A);
  await work(A);

  const heldForMs = 2 * timing.ttlMs;
  const limitMs = timing.faultAtMs + heldForMs + timing.observeMs + 2 * timing.ttlMs;
  const asks = { name: lockName, ttlMs: timing.ttlMs, everyMs: timing.triesEveryMs, limitMs };
  const contending = B.ask('contend', asks, limitMs + ANSWER_LIMIT_MS);
  // Until it is awaited below, a failure of it is not an unhandled one.
  contending.catch(() => {});
  await sleep(timing.faultAtMs, undefined, { signal });

  await fault.inject(scene);
  report('A holds on');
  await sleep(heldForMs, undefined, { signal });
  await A.ask('observe', { limitMs: 0 });
  await A.ask('finish', {});
  await A.ask('release', {});
  report('B is to get the lock');
  const { granted } = await contending;
  if (!granted) return;
  await work(B);
  await B.reachSteps(B.steps + 1, WORK_LIMIT_MS);
  await B.ask('finish', {});
  await B.ask('release', {});
}
