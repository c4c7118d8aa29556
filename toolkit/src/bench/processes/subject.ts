/**
 * One subject of the overview: pairs that nobody else wants, locks that are held, and waiters in one line.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { giveMany, type Held, takeMany } from '../held-subjects.ts';
import { monotonicMs } from '../monotonic.ts';
import { cpuMsSince, pairSlice } from '../pair-slices.ts';
import { openSubject } from '../subjects/open-subject.ts';
import type { SubjectAnswer, SubjectStep } from '../tasks.ts';
import { type Turn, takeTurn } from '../turns.ts';
import { answerQuestions } from '../worker.ts';

await answerQuestions<'subject'>(async ({ kind, id, line, ...options }) => {
  const subject = await openSubject(kind, id, options);
  const contenders = (await subject.line?.(line.name, line.waiters)) ?? [];
  const { inLine, hold } = subject;
  let held: readonly Held[] = [];
  let first: (() => Promise<unknown>) | undefined;
  let turns: Promise<readonly Turn[]> = Promise.resolve([]);

  return async (step: SubjectStep): Promise<SubjectAnswer> => {
    switch (step.do) {
      case 'abilities':
        return { abilities: { line: subject.line !== undefined, hold: hold !== undefined } };
      case 'pairs':
        return { slice: await pairSlice((index) => subject.pair(index), step) };
      case 'take':
        if (hold === undefined) throw new Error('This subject keeps no locks.');
        return timed(async () => {
          held = await takeMany(step.locks, hold);
        });
      case 'keep':
        return timed(async () => {
          await sleep(step.forMs);
          for (const one of held) one.check();
        });
      case 'give':
        return timed(async () => {
          await giveMany(held);
          held = [];
        });
      case 'lead':
        first = await contenders[0]?.();
        return {};
      case 'start': {
        const atMs = monotonicMs();
        await first?.();
        return { atMs };
      }
      case 'enter':
        turns = Promise.all(contenders.map(takeTurn));
        turns.catch(() => undefined); // whoever asks them to leave is told
        return {};
      case 'leave':
        return { turns: await turns };
      case 'in-line':
        return inLine === undefined ? {} : { inLine: await inLine(line.name) };
    }
  };
});

/** With the processor time of this process. */
async function timed(act: () => Promise<void>): Promise<SubjectAnswer> {
  const cpu = process.cpuUsage();
  const startedAt = monotonicMs();
  await act();
  return { kept: { tookMs: monotonicMs() - startedAt, cpuMs: cpuMsSince(cpu) } };
}
