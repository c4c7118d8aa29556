/**
 * Some of the contenders for one lock: each asks, holds for a while, releases, and comes back at once.
 *
 * @module
 */
import { subscribe } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LockEvents } from 'holdfast';
import { CONTENDED_SUBJECTS, type ContendedLock } from '../contended-locks.ts';
import { monotonicMs } from '../monotonic.ts';
import type { Grant } from '../tasks.ts';
import { answerQuestions } from '../worker.ts';

interface Round {
  readonly grants: Grant[];
  leaving: boolean;
  finished: Promise<unknown>;
}

let waits = 0;
subscribe('holdfast:attempt', (event) => {
  if ((event as LockEvents['holdfast:attempt']).outcome === 'waiting') waits++;
});

await answerQuestions<'contenders'>(async ({ subject, url, name, contenders }) => {
  const lock: ContendedLock = await CONTENDED_SUBJECTS[subject].open(url, name, contenders);
  let round: Round = { grants: [], leaving: true, finished: Promise.resolve() };

  return async (step) => {
    if (step.do === 'enter') {
      waits = 0;
      round = { grants: [], leaving: false, finished: Promise.resolve() };
      const { holdMs } = step;
      round.finished = Promise.all(
        Array.from({ length: contenders }, (_, contender) => contend(lock, round, contender, holdMs)),
      );
      round.finished.catch(() => undefined); // whoever asks them to leave is told
    } else {
      round.leaving = true;
      await round.finished;
    }
    return { grants: round.grants, waits };
  };
});

async function contend(lock: ContendedLock, round: Round, contender: number, holdMs: number): Promise<void> {
  while (!round.leaving) {
    const askedAtMs = monotonicMs();
    const held = await lock.acquire(contender);
    const grantedAtMs = monotonicMs();
    if (holdMs > 0) await sleep(holdMs);
    const releasedAtMs = monotonicMs();
    await held.release();
    round.grants.push({ number: held.number, contender, askedAtMs, grantedAtMs, releasedAtMs });
  }
}
