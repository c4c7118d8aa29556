/**
 * Acquires and releases locks that nobody else wants, in slices, with one subject.
 *
 * @module
 */
import { monotonicMs } from '../monotonic.ts';
import { PAIR_SUBJECTS, type PairSubject } from '../pair-subjects.ts';
import { quantile } from '../statistics.ts';
import type { PairSlice, PairSliceFigures } from '../tasks.ts';
import { answerQuestions } from '../worker.ts';

await answerQuestions<'pairs'>(async ({ subject, url }) => {
  const opened = await PAIR_SUBJECTS[subject].open(url);
  return (slice) => (slice.names === 1 ? oneAfterTheOther(opened, slice) : sideBySide(opened, slice));
});

async function oneAfterTheOther(subject: PairSubject, { forMs }: PairSlice): Promise<PairSliceFigures> {
  const pairsMs: number[] = [];
  const cpu = process.cpuUsage();
  const startedAt = monotonicMs();
  let now = startedAt;
  while (now - startedAt < forMs) {
    await subject.pair(0);
    const endedAt = monotonicMs();
    pairsMs.push(endedAt - now);
    now = endedAt;
  }
  return {
    pairs: pairsMs.length,
    tookMs: now - startedAt,
    cpuMs: cpuMsSince(cpu),
    pairMs: { p50: quantile(pairsMs, 0.5), p99: quantile(pairsMs, 0.99) },
  };
}

async function sideBySide(subject: PairSubject, { names, forMs }: PairSlice): Promise<PairSliceFigures> {
  let pairs = 0;
  const cpu = process.cpuUsage();
  const startedAt = monotonicMs();
  const again = async (name: number): Promise<void> => {
    while (monotonicMs() - startedAt < forMs) {
      await subject.pair(name);
      pairs++;
    }
  };
  await Promise.all(Array.from({ length: names }, (_, name) => again(name)));
  return { pairs, tookMs: monotonicMs() - startedAt, cpuMs: cpuMsSince(cpu) };
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
