/**
 * The lane of one who wants the lock: when it waited, when it believed that it holds, what was done to it.
 *
 * @module
 */
import { holdsOf, ttlOf } from '../../lab/checkers/holds.ts';
import { span } from '../../lab/format.ts';
import type { Entry, History } from '../../lab/history.ts';
import type { Lane, Mark, Span } from '../lane.ts';
import { faultsOn } from './fault-spans.ts';

type Acquire = Extract<Entry, { f: 'acquire' }>;

/** A question that was answered sooner than this was no waiting. */
const WAITING_MS = 20;

/** All that ever asked for the lock, in that order. */
export function processesIn({ entries }: History): readonly string[] {
  return [...new Set(entries.flatMap((entry) => (entry.f === 'acquire' ? [entry.by] : [])))];
}

export function holderLane(by: string, history: History, end: number): Lane {
  const { entries } = history;
  const acquires = entries.filter((entry): entry is Acquire => entry.f === 'acquire' && entry.by === by);
  const faults = faultsOn(by, history, end);
  const holds = holdsOf(history).filter((hold) => hold.by === by);

  const spans: Span[] = waitsOf(by, acquires, history);
  const marks: Mark[] = acquires.flatMap((entry): Mark[] => {
    if (entry.type === 'fail') return [['asks', entry.at]];
    if (entry.type === 'info') return [['fails', entry.at, '', entry.error]];
    if (entry.type !== 'ok') return [];
    const token = entry.token === undefined ? '' : `, token ${entry.token}`;
    return [['granted', entry.at, entry.hold, `TTL ${span(ttlOf(entry, entries))}${token}`]];
  });
  for (const { id, beliefs, doubts } of holds) {
    spans.push(...beliefs.map(({ from, to }): Span => ['believes', from, to]));
    spans.push(...doubts.filter(({ from, to }) => to - from > 1).map(({ from, to }): Span => ['doubts', from, to]));
    const lost = doubts.at(-1);
    if (lost) marks.push(['loses', lost.to, id]);
  }
  marks.push(
    ...entries.flatMap((entry): Mark[] =>
      entry.f === 'release' && entry.type === 'invoke' && entry.by === by ? [['releases', entry.at]] : [],
    ),
  );
  return { id: by, role: 'holder', spans: [...spans, ...faults.spans], marks: [...marks, ...faults.marks] };
}

/** From the first question to the grant, or to the last answer. */
function waitsOf(by: string, acquires: readonly Acquire[], { entries }: History): Span[] {
  const waits: Span[] = [];
  const contend = entries.find((entry) => entry.f === 'contend' && entry.by === by);
  const over =
    contend &&
    (acquires.find((entry) => entry.type === 'ok' && entry.at > contend.at) ??
      acquires.findLast((entry) => entry.at > contend.at));
  if (contend && over) waits.push(['waits', contend.at, over.at]);
  for (const asked of acquires) {
    if (asked.type !== 'invoke' || (contend && over && asked.at >= contend.at && asked.at <= over.at)) continue;
    const answered = acquires.find((entry) => entry.op === asked.op && entry.type !== 'invoke');
    if (answered && answered.at - asked.at >= WAITING_MS) waits.push(['waits', asked.at, answered.at]);
  }
  return waits;
}
