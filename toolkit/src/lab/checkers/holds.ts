/**
 * What all checkers read out of a history: who held, when they believed it, and when they were stopped.
 *
 * @module
 */
import { moment } from '../format.ts';
import type { Entry, History, HoldId } from '../history.ts';

/** From and to, in the milliseconds of the history. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** One acquisition that the subject said it made. */
export interface Hold {
  readonly id: HoldId;
  readonly by: string;
  readonly token: bigint | undefined;
  readonly asked: number;
  readonly granted: number;
  /** When it certainly believed that it holds: from the grant to the last time it said so. */
  readonly beliefs: readonly Interval[];
  /** When it may have: from the last yes to the first no. */
  readonly doubts: readonly Interval[];
}

/** In the order of their grants. */
export function holdsOf({ entries }: History): readonly Hold[] {
  const asked = new Map<string, number>();
  const holds: Hold[] = [];
  for (const entry of entries) {
    if (entry.f !== 'acquire') continue;
    if (entry.type === 'invoke') asked.set(`${entry.by} ${entry.op}`, entry.at);
    if (entry.type !== 'ok') continue;
    holds.push({
      id: entry.hold,
      by: entry.by,
      token: entry.token === undefined ? undefined : BigInt(entry.token),
      asked: asked.get(`${entry.by} ${entry.op}`) ?? entry.at,
      granted: entry.at,
      ...beliefOf(entry, entries),
    });
  }
  return holds;
}

function beliefOf(grant: Entry & { hold: HoldId }, entries: readonly Entry[]): Pick<Hold, 'beliefs' | 'doubts'> {
  const origin = BigInt(entries[0]?.t ?? 0);
  const beliefs: Interval[] = [];
  const doubts: Interval[] = [];
  let since: number | undefined = grant.at;
  const endAt = (to: number): void => {
    if (since !== undefined) beliefs.push({ from: since, to: Math.max(since, to) });
    since = undefined;
  };
  for (const entry of entries) {
    if (entry.at < grant.at) continue;
    if (entry.f === 'belief' && entry.hold === grant.hold) {
      if (entry.believes) {
        since ??= entry.at;
      } else if (since !== undefined) {
        const lastTrue = Number(BigInt(entry.lastTrue) - origin) / 1e6;
        doubts.push({ from: Math.max(since, lastTrue), to: entry.at });
        endAt(lastTrue);
      }
    }
    if (entry.f === 'release' && entry.hold === grant.hold) {
      endAt(entry.at);
      return { beliefs, doubts };
    }
    if (entry.f === 'fault' && entry.type === 'invoke' && entry.act === 'kill' && entry.target === grant.by) {
      endAt(entry.at);
      return { beliefs, doubts };
    }
  }
  // It was asked all the time, and a no would stand here: it believed until the end of the record.
  endAt(entries.at(-1)?.at ?? grant.at);
  return { beliefs, doubts };
}

/** When a process was stopped: from the signal that stopped it to the one that let it go on. */
export function stopsOf(by: string, { entries }: History): readonly Interval[] {
  const stops: Interval[] = [];
  let since: number | undefined;
  for (const entry of entries) {
    if (entry.f !== 'fault' || entry.type !== 'invoke' || entry.target !== by) continue;
    if (entry.act === 'stop') since = entry.at;
    if (entry.act === 'continue' && since !== undefined) {
      stops.push({ from: since, to: entry.at });
      since = undefined;
    }
  }
  if (since !== undefined) stops.push({ from: since, to: Number.POSITIVE_INFINITY });
  return stops;
}

/** What two intervals have in common, if that is more than an instant. */
export function intersect(one: Interval, other: Interval): Interval | undefined {
  const from = Math.max(one.from, other.from);
  const to = Math.min(one.to, other.to);
  return from < to ? { from, to } : undefined;
}

/** What is left of an interval without others. */
export function without(interval: Interval, others: readonly Interval[]): readonly Interval[] {
  return others.reduce<readonly Interval[]>(
    (left, other) =>
      left.flatMap((piece) =>
        [
          { from: piece.from, to: Math.min(piece.to, other.from) },
          { from: Math.max(piece.from, other.to), to: piece.to },
        ].filter(({ from, to }) => from < to),
      ),
    [interval],
  );
}

/** The TTL that somebody asked for, by its answer. */
export function ttlOf({ by, op }: Extract<Entry, { f: 'acquire' }>, entries: readonly Entry[]): number {
  for (const entry of entries) {
    if (entry.f === 'acquire' && entry.type === 'invoke' && entry.by === by && entry.op === op) return entry.ttlMs;
  }
  return 0;
}

export function lengthOf(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** Writes times as people read them: counted from the first grant. */
export function stamps(history: History): (at: number) => string {
  const origin = originOf(history);
  return (at) => moment(at - origin);
}

/** When the first lock was granted, which is the zero of all that is printed. */
export function originOf({ entries }: History): number {
  return entries.find((entry) => entry.f === 'acquire' && entry.type === 'ok')?.at ?? entries[0]?.at ?? 0;
}
