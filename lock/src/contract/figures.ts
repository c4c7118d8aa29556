/**
 * What the figures of several backends share. They are taken by tests, since what they compare with needs the inside of
 * a backend: the bare calls through the same client.
 *
 * @module
 */
import type { Lease } from '../core/lease.ts';

/** HOLDFAST_FIGURES=1 runs all rounds; without it they are few, and only what must be so at any speed is shown. */
export const full: boolean = process.env.HOLDFAST_FIGURES !== undefined;

export const rounds: number = full ? 15 : 3;

export function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] as number;
}

/** The median, with the smallest and the largest. */
export function spread(values: readonly number[], digits = 1): string {
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)];
  return `${middle.toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`;
}

/** Runs `count` times with `width` under way at once, and gives the rate per second. */
export async function rate(count: number, width: number, pair: (lane: number) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  let left = count;
  const lanes = Array.from({ length: width }, async (_, lane) => {
    while (left-- > 0) await pair(lane);
  });
  await Promise.all(lanes);
  return (count / (performance.now() - startedAt)) * 1_000;
}

/** How long after the deadline of this lease its signal came, from now on: less than nothing if it came before. */
export async function lossAfterDeadlineMs(lease: Lease): Promise<number> {
  const deadlineAtMs = performance.now() + lease.remainingMs;
  await new Promise<void>((resolve) => lease.signal.addEventListener('abort', () => resolve(), { once: true }));
  return performance.now() - deadlineAtMs;
}
