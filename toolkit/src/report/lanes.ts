/**
 * From a history to what the page draws: one lane for each process, server and register, with what lasted on it and what
 * happened on it. Says nothing about whether that was right; the checkers do.
 *
 * @module
 */
import { holdsOf, originOf } from '../lab/checkers/holds.ts';
import { overlapsIn } from '../lab/checkers/mutual-exclusion.ts';
import type { History } from '../lab/history.ts';
import type { Lanes, Mark, Span } from './lane.ts';
import { holderLane, processesIn } from './lanes/holder.ts';
import { registerLanes } from './lanes/register.ts';
import { serverLanes } from './lanes/server.ts';

/** Room before the first and after the last thing that is shown. */
const MARGIN = 0.02;

/** Undefined if nobody ever had the lock, so that there is nothing to be seen. */
export function lanesOf(history: History): Lanes | undefined {
  if (holdsOf(history).length === 0) return undefined;
  const origin = originOf(history);
  const end = history.entries.at(-1)?.at ?? origin;
  const lanes = [
    ...processesIn(history).map((by) => holderLane(by, history, end)),
    ...registerLanes(history),
    ...serverLanes(history, end),
  ].filter(({ spans, marks }) => spans.length + marks.length > 0);
  const overlaps = overlapsIn(history).map(({ older, newer, from, to }) => ({
    older: older.by,
    newer: newer.by,
    from,
    to,
  }));

  const starts = lanes.flatMap(({ spans, marks }) => [...spans.map(([, from]) => from), ...marks.map(([, at]) => at)]);
  const ends = lanes.flatMap(({ spans, marks }) => [
    // What lasts to the end of the record does not make the picture longer.
    ...spans.map(([, , to]) => to).filter((to) => to < end),
    ...marks.map(([, at]) => at),
  ]);
  const first = least(starts, origin);
  const last = -least(
    ends.map((at) => -at),
    -end,
  );
  const room = Math.max(1, (last - first) * MARGIN);
  const shift = (at: number): number => Math.round((Math.min(at, last + room) - origin) * 100) / 100;
  return {
    from: shift(first - room),
    to: shift(last + room),
    lanes: lanes.map(({ spans, marks, ...lane }) => ({
      ...lane,
      spans: spans.map(([kind, from, to, ...rest]): Span => [kind, shift(from), shift(to), ...rest]),
      marks: marks
        .map(([kind, at, ...rest]): Mark => [kind, shift(at), ...rest])
        .sort((one, other) => one[1] - other[1]),
    })),
    overlaps: overlaps.map((overlap) => ({ ...overlap, from: shift(overlap.from), to: shift(overlap.to) })),
  };
}

/** Without spreading, which ten thousand of them would not allow. */
function least(times: readonly number[], otherwise: number): number {
  return times.length === 0 ? otherwise : times.reduce((one, other) => Math.min(one, other));
}
