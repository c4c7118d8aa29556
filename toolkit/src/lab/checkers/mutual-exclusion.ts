/**
 * Whether two clients ever believed at once that they hold the lock.
 *
 * What counts is what the lock itself answers when it is asked: it is asked every few milliseconds and before each act
 * of its holder. A stopped process is not asked, and does nothing either; if it still says yes when it wakes, it believed
 * all the time.
 *
 * @module
 */
import { span } from '../format.ts';
import type { History } from '../history.ts';
import type { Checker, Finding } from './checker.ts';
import { type Hold, holdsOf, type Interval, intersect, lengthOf, stamps, stopsOf, without } from './holds.ts';

/** How long an awake holder may go without being asked, before an overlap in that time is undecided. */
const RESOLUTION_MS = 250;

/** A time in which two clients believed. */
export interface Overlap extends Interval {
  readonly older: Hold;
  readonly newer: Hold;
}

export const mutualExclusion: Checker = { id: 'mutual-exclusion', check };

function check(history: History): Finding {
  const holds = holdsOf(history);
  const time = stamps(history);
  const overlaps = overlapsIn(history);
  const awake = overlaps.flatMap((overlap) => without(overlap, stopsOf(overlap.older.by, history)));
  const figures = {
    overlapMs: Math.round(lengthOf(overlaps)),
    falseBeliefMs: Math.round(lengthOf(awake)),
    // One is what a lock is that was given away; more are one that is given to anybody.
    ...(overlaps.length > 1 ? { grantsWhileHeld: overlaps.length } : {}),
  };

  if (overlaps.length > 0) {
    const evidence = overlaps.map(
      ({ older, newer, from, to }) =>
        `Two holders at once for ${span(to - from)}: ${older.id} and ${newer.id} both believed it, from ${time(from)} to ${time(to)}.`,
    );
    return { verdict: 'unsafe', evidence, figures };
  }
  if (new Set(holds.map((hold) => hold.by)).size < 2) {
    return { verdict: 'unknown', evidence: ['Only one process ever got the lock, so there was nothing to exclude.'] };
  }
  for (const [older, newer] of pairsOf(holds)) {
    const doubt = doubtBetween(older, newer, history) ?? doubtBetween(newer, older, history);
    if (doubt) {
      const evidence = `Between ${time(doubt.from)} and ${time(doubt.to)} ${doubt.by} was not asked whether it holds, and another did.`;
      return { verdict: 'unknown', evidence: [evidence] };
    }
  }
  const marginMs = marginOf(holds);
  return {
    verdict: 'safe',
    evidence: [`${holds.length} holds, and never two at once.`],
    figures: { ...figures, ...(marginMs === undefined ? {} : { marginMs }) },
  };
}

export function overlapsIn(history: History): readonly Overlap[] {
  return pairsOf(holdsOf(history)).flatMap(([older, newer]) => overlapsOf(older, newer));
}

/** How long before the first grant to another a holder had said that it has lost the lock, where one did. */
function marginOf(holds: readonly Hold[]): number | undefined {
  const margins = pairsOf(holds).flatMap(([older, newer]) => {
    const said = older.doubts.at(-1)?.to;
    return older.by !== newer.by && said !== undefined && said < newer.granted ? [newer.granted - said] : [];
  });
  return margins.length === 0 ? undefined : Math.round(Math.min(...margins));
}

function pairsOf(holds: readonly Hold[]): [Hold, Hold][] {
  return holds.flatMap((older, index) => holds.slice(index + 1).map((newer): [Hold, Hold] => [older, newer]));
}

function overlapsOf(older: Hold, newer: Hold): Overlap[] {
  return older.beliefs.flatMap((one) =>
    newer.beliefs.flatMap((other) => {
      const common = intersect(one, other);
      return common ? [{ older, newer, ...common }] : [];
    }),
  );
}

function doubtBetween(doubter: Hold, other: Hold, history: History): (Interval & { by: string }) | undefined {
  for (const doubt of doubter.doubts) {
    for (const piece of without(doubt, stopsOf(doubter.by, history))) {
      if (piece.to - piece.from <= RESOLUTION_MS) continue;
      const common = other.beliefs.map((belief) => intersect(piece, belief)).find((interval) => interval);
      if (common) return { by: doubter.by, ...common };
    }
  }
  return undefined;
}
