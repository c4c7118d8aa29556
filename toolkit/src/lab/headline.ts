import { count, handOverCost, span } from './format.ts';
import type { Figures, Result } from './result.ts';

/** The result in some sentences: first what happened to the lock, then to the data, then how often. */
export function headline(result: Result): string {
  return [ofOneRound(result), ofRounds(result)].filter(Boolean).join(' ');
}

function ofRounds({ rounds }: Result): string {
  if (!rounds) return '';
  const { safe, unsafe, unknown, unsafeBelow } = rounds;
  const counts = `In ${safe + unsafe + unknown} rounds: ${unsafe} unsafe, ${unknown} unknown, ${safe} safe.`;
  if (unsafeBelow === undefined) return counts;
  return `${counts} So with 95 % confidence less than ${upToTenths(unsafeBelow * 100)} % of rounds are unsafe.`;
}

/** Rounded up, since it is a bound. */
function upToTenths(percent: number): number {
  return Math.ceil(Number((percent * 10).toFixed(6))) / 10;
}

function ofOneRound({ experiment, verdict, figures, checks, reason }: Result): string {
  if (verdict === 'not-run' || verdict === 'unknown') return reason ?? '';
  const exclusion = checks.find((check) => check.checker === 'mutual-exclusion')?.verdict;
  const parts: string[] = [];
  if (exclusion === 'unsafe') {
    const overlap = span(figures.overlapMs ?? 0);
    const times = figures.grantsWhileHeld;
    parts.push(
      times === undefined
        ? `Two holders at once for ${overlap}.`
        : `Given to a second holder ${times} times while the first had it, for ${overlap} in all.`,
    );
  } else if (FREED_BY_TIME.has(experiment) && figures.recoveryMs !== undefined) {
    const { recoveryMs, tries = 1, handOverMs } = figures;
    const release = handOverMs === undefined ? 'Free again' : `Handed over in ${span(handOverMs)}; free again`;
    parts.push(
      `${release} ${span(recoveryMs)} after the ${FREED_BY_TIME.get(experiment)}${tries > 1 ? `, at try ${tries}` : ''}; never two holders.`,
    );
  } else if (exclusion === 'safe') parts.push(...exclusionKept(figures));
  parts.push(effects(verdict, figures) ?? reason ?? '');
  return parts.filter(Boolean).join(' ');
}

/** The experiments in which the time of a holder must pass, and what had been done to that holder. */
const FREED_BY_TIME: ReadonlyMap<string, string> = new Map([
  ['crash', 'kill'],
  ['etcd-lease', 'kill'],
  ['etcd-leader-crash', 'kill'],
  ['zk-session-crash', 'kill'],
  ['silent-cut', 'cut'],
  ['silent-cut-line', 'cut'],
  ['silent-cut-answer', 'cut'],
]);

function exclusionKept(figures: Figures): string[] {
  const { marginMs, lockKept, withoutServiceMs, inversions, waiters } = figures;
  if (lockKept !== undefined && withoutServiceMs !== undefined) {
    const what = lockKept ? 'The lock was kept' : 'The lock was lost';
    return [`${what}; the rival had no answer for ${span(withoutServiceMs)}; never two holders.`];
  }
  if (inversions !== undefined) {
    const order = inversions === 0 ? 'In the order of arrival' : `${inversions} of ${waiters} out of turn`;
    return [`${order}; never two holders.`, handOverCost(figures)];
  }
  if (figures.pairRoundTrips !== undefined) {
    const { roundTripMs = 0, pairRoundTrips, handOverRoundTrips } = figures;
    const cost = `of ${span(roundTripMs)}: ${pairRoundTrips} for a pair, ${handOverRoundTrips} for a hand-over.`;
    return [`Round trips ${cost}`, 'Never two holders at once.'];
  }
  if (marginMs === undefined) return ['Never two holders at once.'];
  return [`Never two holders at once: the old one knew ${span(marginMs)} before the new one had the lock.`];
}

function effects(verdict: Result['verdict'], figures: Result['figures']): string | undefined {
  const {
    staleWritesAccepted = 0,
    staleWritesRefused,
    lostUpdates = 0,
    tokensInOrder,
    staleWritesPastGuard = 0,
  } = figures;
  if (verdict === 'safe' && (staleWritesRefused ?? 0) > 0) {
    return `Token and guard saved the data: ${count(staleWritesRefused ?? 0, 'stale write')} refused, none passed.`;
  }
  if (verdict !== 'unsafe' || staleWritesAccepted + lostUpdates === 0) return undefined;
  const damage = `${count(staleWritesAccepted, 'stale write')} went through, ${count(lostUpdates, 'update')} lost.`;
  if (tokensInOrder === undefined) return `${damage} It has no token that a guard could check.`;
  if (!tokensInOrder) return `${damage} Its tokens repeat or go back, so no guard can rely on them.`;
  return staleWritesPastGuard > 0 ? `${staleWritesPastGuard} stale writes went past the guard.` : damage;
}
