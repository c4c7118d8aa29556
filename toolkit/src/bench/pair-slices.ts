/**
 * Acquire and release again and again, for so long: one pair after the other, or many names at once.
 *
 * @module
 */
import { monotonicMs } from './monotonic.ts';
import { quantile } from './statistics.ts';
import type { PairSlice, PairSliceFigures } from './tasks.ts';

/** Acquires the lock of this index, which nobody else wants, and releases it. */
type Pair = (index: number) => Promise<unknown>;

export function pairSlice(pair: Pair, { names, forMs }: PairSlice): Promise<PairSliceFigures> {
  return names === 1 ? oneAfterTheOther(pair, forMs) : sideBySide(pair, names, forMs);
}

async function oneAfterTheOther(pair: Pair, forMs: number): Promise<PairSliceFigures> {
  const pairsMs: number[] = [];
  const cpu = process.cpuUsage();
  const startedAt = monotonicMs();
  let now = startedAt;
  while (now - startedAt < forMs) {
    await pair(0);
    const endedAt = monotonicMs();
    pairsMs.push(endedAt - now);
    now = endedAt;
  }
  return { tookMs: now - startedAt, cpuMs: cpuMsSince(cpu), ...summary(pairsMs) };
}

async function sideBySide(pair: Pair, names: number, forMs: number): Promise<PairSliceFigures> {
  const pairsMs: number[] = [];
  const cpu = process.cpuUsage();
  const startedAt = monotonicMs();
  const again = async (name: number): Promise<void> => {
    for (let now = startedAt; now - startedAt < forMs; ) {
      await pair(name);
      const endedAt = monotonicMs();
      pairsMs.push(endedAt - now);
      now = endedAt;
    }
  };
  await Promise.all(Array.from({ length: names }, (_, name) => again(name)));
  return { tookMs: monotonicMs() - startedAt, cpuMs: cpuMsSince(cpu), ...summary(pairsMs) };
}

function summary(pairsMs: readonly number[]): Pick<PairSliceFigures, 'pairs' | 'pairMs'> {
  return { pairs: pairsMs.length, pairMs: { p50: quantile(pairsMs, 0.5), p99: quantile(pairsMs, 0.99) } };
}

/** Of this process, user and system. */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
