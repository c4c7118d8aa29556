import { ensembleOf } from '../faults/ensemble.ts';
import type { Fault } from '../faults/fault.ts';
import type { Holder } from '../holder.ts';
import type { Acquired } from '../holder-protocol.ts';
import type { Scene } from '../scene.ts';
import { until } from '../until.ts';
import { ANSWER_LIMIT_MS, acquireFree, WORK_LIMIT_MS, work } from './steps.ts';

/** How long a waiter waits, in TTLs: a crash costs one, and half a second. */
const PATIENCE_TTLS = 3;

/** Twice somebody waits for a lock that is held: the first time it is given back, the second time its holder dies. */
export async function releaseThenCrash(scene: Scene, fault: Fault): Promise<void> {
  const { A, B } = scene.holders;
  scene.report('B takes the lock, A waits');
  await acquireFree(scene, B);
  await work(B);
  const first = await waits(scene, A);
  await B.ask('finish', {});
  await B.ask('release', {});
  await granted(A, first);
  await work(A);

  scene.report('A has the lock, B waits');
  scene.history.write({ f: 'contend', type: 'event', everyMs: 0 }, 'B');
  const second = await waits(scene, B);
  await fault.inject(scene);
  scene.report('the TTL of the dead holder runs');
  await granted(B, second);
  await work(B);
  await B.reachSteps(B.steps + 1, WORK_LIMIT_MS);
  await B.ask('finish', {});
  await B.ask('release', {});
}

/** Resolves when the holder waits at the server; what comes of it is a promise of its own. */
async function waits(scene: Scene, holder: Holder): Promise<{ readonly answer: Promise<Acquired> }> {
  const { timing, lockName, signal } = scene;
  const ensemble = ensembleOf(scene);
  const before = await ensemble.openWatches();
  const waitMs = PATIENCE_TTLS * timing.ttlMs;
  const asks = { name: lockName, ttlMs: timing.ttlMs, waitMs };
  const answer = holder.ask('acquire', asks, waitMs + ANSWER_LIMIT_MS);
  // Until it is awaited, a failure of it is not an unhandled one.
  answer.catch(() => {});
  const isWatching = async (): Promise<boolean> => (await ensemble.openWatches()) > before;
  await until(`Holder ${holder.by} waiting at the server`, isWatching, { limitMs: 10_000, signal });
  return { answer };
}

async function granted(holder: Holder, { answer }: { readonly answer: Promise<Acquired> }): Promise<void> {
  const acquired = await answer;
  if (acquired.outcome === 'granted') return;
  const why = acquired.outcome === 'busy' ? 'acquire() gave null' : `acquire() failed with: ${acquired.error}`;
  throw new Error(`${holder.by} waited for the lock and did not get it: ${why}.`);
}
