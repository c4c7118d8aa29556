/**
 * Holds very many locks, and says what that costs this process. Needs `--expose-gc`.
 *
 * @module
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { HELD_SUBJECTS, type Held, type HeldSubject } from '../held-subjects.ts';
import { monotonicMs } from '../monotonic.ts';
import type { HeldAnswer, HeldStep } from '../tasks.ts';
import { answerQuestions } from '../worker.ts';

/** How many are asked for before the first of them is answered. */
const TOGETHER = 100;

const DELAY_RESOLUTION_MS = 1;

await answerQuestions<'held-locks'>(async ({ subject, url, locks, ttlMs }) => {
  const opened = await HELD_SUBJECTS[subject].open(url, ttlMs);
  const held: Held[] = [];
  return (step) => measured(() => act(step, opened, held, locks), held);
});

/** Does one step; gives the longest delay of the event loop where that is what it measures. */
async function act(step: HeldStep, subject: HeldSubject, held: Held[], locks: number): Promise<number | undefined> {
  switch (step.do) {
    case 'acquire': {
      const groups = Math.ceil(locks / TOGETHER);
      const startedAt = monotonicMs();
      for (let group = 0; group < groups; group++) {
        await sleepUntil(startedAt + (group * step.overMs) / groups);
        const indexes = Array.from({ length: Math.min(TOGETHER, locks - held.length) }, (_, at) => held.length + at);
        held.push(...(await Promise.all(indexes.map((index) => subject.hold(index)))));
      }
      return undefined;
    }
    case 'cpu':
      await sleep(step.forMs);
      return undefined;
    case 'delay': {
      const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
      delay.enable();
      await sleep(step.forMs);
      delay.disable();
      return delay.max / 1e6 - DELAY_RESOLUTION_MS;
    }
    case 'release':
      await Promise.all(held.splice(0).map((one) => one.release()));
      return undefined;
  }
}

async function measured(act: () => Promise<number | undefined>, held: readonly Held[]): Promise<HeldAnswer> {
  const cpu = process.cpuUsage();
  const startedAt = monotonicMs();
  const longestDelayMs = await act();
  const tookMs = monotonicMs() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  for (const one of held) one.check();
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return {
    tookMs,
    cpuMs: (user + system) / 1000,
    heapBytes: heapUsed,
    rssBytes: rss,
    ...(longestDelayMs === undefined ? {} : { longestDelayMs }),
  };
}

async function sleepUntil(atMs: number): Promise<void> {
  const leftMs = atMs - monotonicMs();
  if (leftMs > 0) await sleep(leftMs);
}
