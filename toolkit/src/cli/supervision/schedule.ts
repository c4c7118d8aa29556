/**
 * When a command must be asked to end, and when it is made to, so that it is gone before its lease is.
 *
 * Instants are milliseconds of CLOCK_MONOTONIC, which is one clock for all processes of a machine; they travel between
 * the guard and the front as plain numbers.
 *
 * @module
 */
import { formatDuration } from '../durations.ts';

export interface Terms {
  readonly ttlMs: number;
  /** What the command has between SIGTERM and SIGKILL. */
  readonly killAfterMs: number;
}

/** The shortest TTL that leaves room for ending a process group under load. */
const SHORTEST_TTL_MS = 1_000;

/** How long before the end of the lease SIGKILL is sent, so that the kernel has carried it out by then. */
export function killMarginMs(ttlMs: number): number {
  return Math.max(100, ttlMs / 20);
}

/**
 * Who acts. The guard comes first; the front uses half of the margin, and so finds itself acting only if the guard has
 * not.
 */
export type Side = 'guard' | 'front';

export function endSchedule(
  validUntil: number,
  terms: Terms,
  side: Side,
): { readonly termAt: number; readonly killAt: number } {
  const margin = killMarginMs(terms.ttlMs);
  const killAt = validUntil - (side === 'guard' ? margin : margin / 2);
  return { termAt: killAt - terms.killAfterMs, killAt };
}

/**
 * The longest grace that leaves renewal half of the TTL: it comes at a third, and has until the half for its answer.
 * One hundredth and 2 ms of the TTL are not ours, since clocks run at different rates.
 */
export function longestKillAfterMs(ttlMs: number): number {
  return Math.floor(ttlMs * 0.49 - 2 - killMarginMs(ttlMs));
}

/** What is used without --kill-after: 5 s, or a sixth of a TTL that is too short for that. */
export function defaultKillAfterMs(ttlMs: number): number {
  return Math.min(5_000, Math.floor(ttlMs / 6));
}

/** Why these terms cannot be kept, in a sentence; undefined if they can. */
export function whyImpossible({ ttlMs, killAfterMs }: Terms): string | undefined {
  if (ttlMs < SHORTEST_TTL_MS) {
    return `--ttl must be at least ${formatDuration(SHORTEST_TTL_MS)}, and is ${formatDuration(ttlMs)}.`;
  }
  const longest = longestKillAfterMs(ttlMs);
  if (killAfterMs <= longest) return undefined;
  // The smallest whole second that gives enough; the margin is a twentieth of the TTL, or 100 ms.
  let enoughMs = Math.ceil((killAfterMs * 2) / 1_000) * 1_000;
  while (longestKillAfterMs(enoughMs) < killAfterMs) enoughMs += 1_000;
  return (
    `--kill-after ${formatDuration(killAfterMs)} does not fit into --ttl ${formatDuration(ttlMs)}: half of the TTL is needed for renewals ` +
    `and ${formatDuration(killMarginMs(ttlMs))} for the last kill, which leaves ${formatDuration(longest)}. --ttl ${formatDuration(enoughMs)} would be enough.`
  );
}

/** Now, on the clock of this module. */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
