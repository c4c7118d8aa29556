/**
 * What the grants of one round say: how long the lock was on its way from holder to holder, who was overtaken, and who
 * had it again. A plain function of the grants, which all processes time on one clock.
 *
 * @module
 */
import { quantile } from './statistics.ts';
import type { Grant } from './tasks.ts';

export interface SeenGrant extends Grant {
  /** Which process of the layout. */
  readonly process: number;
}

export interface HandOverFigures {
  readonly handOvers: number;
  /** From the start of a release to the moment the next holder has the lock. */
  readonly handOverMs: { readonly p50: number; readonly p95: number; readonly max: number };
  readonly perSecond: number;
  readonly inversions: {
    /** Waits that were overtaken by one that stood in line later, by what stands in line at the server. */
    readonly ofContenders: number;
    /** Waits that were overtaken by one of the same process that asked later. */
    readonly ofCallersInOneProcess: number;
  };
  /** Shares of the hand-overs in which the lock went back to whom it came from; fair is one of n. */
  readonly takenAgain: { readonly byCaller: number; readonly byProcess: number };
}

/** The grants in the order of their numbers. Throws if two of them overlap: then the subject is no lock. */
export function inOrder(grants: readonly SeenGrant[]): readonly SeenGrant[] {
  const sorted = [...grants].sort((one, other) => one.number - other.number);
  for (let at = 1; at < sorted.length; at++) {
    const [before, after] = [sorted[at - 1] as SeenGrant, sorted[at] as SeenGrant];
    if (after.grantedAtMs < before.releasedAtMs || after.number === before.number) {
      throw new Error(`Two held the lock at once: grant ${before.number} and grant ${after.number}.`);
    }
  }
  return sorted;
}

/**
 * The figures of the hand-overs that began in the window, when all contenders had come. `standsInLine` says what waits
 * at the server: a process for all of its callers, or each caller.
 */
export function handOverFigures(
  grants: readonly SeenGrant[],
  window: { readonly fromMs: number; readonly toMs: number },
  standsInLine: 'process' | 'waiter',
): HandOverFigures {
  const sorted = inOrder(grants).filter(
    ({ grantedAtMs, releasedAtMs }) => grantedAtMs >= window.fromMs && releasedAtMs <= window.toMs,
  );
  const times: number[] = [];
  let sameCaller = 0;
  let sameProcess = 0;
  for (let at = 1; at < sorted.length; at++) {
    const [from, to] = [sorted[at - 1] as SeenGrant, sorted[at] as SeenGrant];
    times.push(to.grantedAtMs - from.releasedAtMs);
    if (from.process !== to.process) continue;
    sameProcess++;
    if (from.contender === to.contender) sameCaller++;
  }
  const [first, last] = [sorted[0], sorted.at(-1)];
  const tookMs = (last?.grantedAtMs ?? 0) - (first?.grantedAtMs ?? 0);
  const processes = new Set(sorted.map(({ process }) => process));
  return {
    handOvers: times.length,
    handOverMs: { p50: quantile(times, 0.5), p95: quantile(times, 0.95), max: quantile(times, 1) },
    perSecond: (times.length * 1000) / tookMs,
    inversions: {
      ofContenders: overtaken(standsInLine === 'process' ? entries(sorted) : sorted.map(({ askedAtMs }) => askedAtMs)),
      ofCallersInOneProcess: [...processes]
        .map((process) => overtaken(sorted.filter((grant) => grant.process === process).map((one) => one.askedAtMs)))
        .reduce((sum, one) => sum + one, 0),
    },
    takenAgain: { byCaller: sameCaller / times.length, byProcess: sameProcess / times.length },
  };
}

/**
 * When the contender behind each grant came to the server, as a place in the order of grants. While callers wait in a
 * process, its release and the entry of its next contender are one step of the server, so that a contender has come
 * with the last grant of its process before this one. The first of each process has come at a time we do not know.
 */
function entries(sorted: readonly SeenGrant[]): readonly number[] {
  const lastOf = new Map<number, number>();
  const entered: number[] = [];
  for (const [at, { process }] of sorted.entries()) {
    const before = lastOf.get(process);
    if (before !== undefined) entered.push(before);
    lastOf.set(process, at);
  }
  return entered;
}

/** How many of these arrivals, in the order in which they were served, came before one that was served earlier. */
export function overtaken(arrivals: readonly number[]): number {
  let latest = Number.NEGATIVE_INFINITY;
  let count = 0;
  for (const arrival of arrivals) {
    if (arrival < latest) count++;
    else latest = arrival;
  }
  return count;
}
