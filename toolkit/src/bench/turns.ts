/**
 * A line in which each stands once: who has the lock gives it back at once and does not come back, so that nobody is
 * faster for having just had it.
 *
 * @module
 */
import { monotonicMs } from './monotonic.ts';

/** One who stands in line for one lock: resolves when it has it, with what gives it back. */
export type Contender = () => Promise<() => Promise<unknown>>;

/** When a waiter had the lock, and gave it back; on the monotonic clock of the machine. */
export interface Turn {
  readonly grantedAtMs: number;
  /** Before the call that releases. */
  readonly releasedAtMs: number;
}

export async function takeTurn(contend: Contender): Promise<Turn> {
  const release = await contend();
  const grantedAtMs = monotonicMs();
  const releasedAtMs = monotonicMs();
  await release();
  return { grantedAtMs, releasedAtMs };
}

/** From the start of each release to the next grant. Throws if two turns overlap: then the subject is no lock. */
export function gapsBetween(firstReleasedAtMs: number, turns: readonly Turn[]): readonly number[] {
  const inOrder = [...turns].sort((one, other) => one.grantedAtMs - other.grantedAtMs);
  let releasedAtMs = firstReleasedAtMs;
  return inOrder.map((turn) => {
    const gap = turn.grantedAtMs - releasedAtMs;
    if (gap < 0) throw new Error(`Two held the lock at once, for ${(-gap).toFixed(3)} ms.`);
    releasedAtMs = turn.releasedAtMs;
    return gap;
  });
}
