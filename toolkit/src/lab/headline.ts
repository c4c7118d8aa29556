import { count, span } from './format.ts';
import type { Result } from './result.ts';

/** What the holder gets in the experiments that ask when the lock is free again. */
const BLOWS: Readonly<Record<string, string>> = { crash: 'kill', 'silent-cut': 'cut' };

/** The result in one or two sentences: first what happened to the lock, then to the data. */
export function headline({ experiment, verdict, figures, checks, reason }: Result): string {
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
  } else if (experiment in BLOWS && figures.recoveryMs !== undefined) {
    parts.push(
      `Free again ${span(figures.recoveryMs)} after the ${BLOWS[experiment]}, at try ${figures.tries}; never two holders.`,
    );
  } else if (exclusion === 'safe') parts.push('Never two holders at once.');
  parts.push(effects(verdict, figures) ?? reason ?? '');
  return parts.filter(Boolean).join(' ');
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
