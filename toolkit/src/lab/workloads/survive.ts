/**
 * A takes the lock and works, its server fails, and B asks for the lock while A's time is not over. Where B gets it, both
 * work, and A goes on as code does that is past its check. Where A is refused the lock in the first place, it must get it
 * once what it needs is there again: a lock that is never given protects nothing.
 *
 * @module
 */
import type { Fault } from '../faults/fault.ts';
import type { Scene } from '../scene.ts';
import { ANSWER_LIMIT_MS, acquireFree, expectBusy, SOME_WRITES, WORK_LIMIT_MS, work } from './steps.ts';
import { patienceOf } from './take-over.ts';

/** How long a rival is refused until the lock counts as kept; it must end before the TTL of the holder does. */
const REFUSED_MS = 2_500;

/** Writes its course into the history, and rejects where it cannot go on. */
export async function survive(scene: Scene, fault: Fault): Promise<void> {
  const { A, B } = scene.holders;
  const { timing, report, lockName: name } = scene;
  await fault.prepare?.(scene);
  report('A takes the lock');
  const acquired = await A.ask('acquire', { name, ttlMs: timing.ttlMs, waitMs: 0 }, ANSWER_LIMIT_MS);
  if (acquired.outcome === 'busy') throw new Error('A could not take a lock that nobody holds: acquire() gave null.');
  if (acquired.outcome === 'unknown') {
    await beRefused(scene, fault, acquired.error);
    return;
  }
  await work(A);
  await expectBusy(scene);
  await fault.inject(scene);

  report('B asks for the lock');
  const contend = async (limitMs: number): Promise<{ granted: boolean; error: string | null }> =>
    B.ask('contend', { name, ttlMs: timing.ttlMs, everyMs: timing.triesEveryMs, limitMs }, limitMs + ANSWER_LIMIT_MS);
  const first = await contend(REFUSED_MS);
  // Its client may need longer to find the new server.
  const { granted } = first.granted || first.error === null ? first : await contend(patienceOf(timing));
  if (granted) {
    report('B has the lock and works');
    await work(B);
  }
  await A.reachSteps(A.steps + SOME_WRITES, WORK_LIMIT_MS);
  await A.ask('finish', {});
  if (granted) {
    report('is the old holder told?');
    await A.ask('observe', { limitMs: timing.observeMs });
  }
  await A.ask('release', {});
  if (!granted) return;
  // The rival's last access comes after all that the old holder has tried.
  await B.reachSteps(B.steps + 1, WORK_LIMIT_MS);
  await B.ask('finish', {});
  await B.ask('release', {});
}

async function beRefused(scene: Scene, fault: Fault, error: string): Promise<void> {
  const { A } = scene.holders;
  scene.history.write({ f: 'refused', type: 'event', error }, A.by);
  if (fault.restore === undefined) throw new Error(`A was refused a lock that nobody holds: ${error}`);
  await fault.restore(scene);
  scene.report('A takes the lock, now that it can');
  await acquireFree(scene, A);
  await work(A);
  await A.ask('finish', {});
  await A.ask('release', {});
}
