/**
 * Whether those who wait for a lock get it in the order in which they came, and what each hand-over costs.
 *
 * Who came first is certain only where it was seen: at the server, before the next one asked, or in one process, which
 * knows its own. Waiters of two processes of whom the server knew nothing yet have no order that a lock could keep; where
 * one of them is served out of turn it is counted, and breaks no promise. What a hand-over costs is the servers' own count.
 *
 * @module
 */
import { count, handOverCost, median } from '../format.ts';
import type { Entry, History } from '../history.ts';
import type { Figures } from '../result.ts';
import type { Checker, Finding } from './checker.ts';
import { type Hold, holdsOf } from './holds.ts';

/** One is woken for each release; a second one now and then, whose watch was being renewed, is not a herd. */
const HERD = 2;

type LinedUp = Extract<Entry, { f: 'lined-up' }>;

export const queue: Checker = { id: 'queue', check };

function check(history: History): Finding {
  const line = history.entries.filter((entry): entry is LinedUp => entry.f === 'lined-up');
  const last = line.at(-1);
  if (!last) return { verdict: 'unknown', evidence: ['Nobody stood in line for the lock.'] };
  const waiters = line.length;
  const served = holdsOf(history).filter(({ granted }) => granted > last.at);
  if (served.length < waiters) {
    return { verdict: 'unknown', evidence: [`Only ${served.length} of ${waiters} waiters got the lock.`] };
  }
  const places = new Map(line.map((place) => [place.by, place]));
  const outOfTurn = served.filter((hold, index) => passedBy(hold, served.slice(index + 1)).length > 0);
  const inversions = outOfTurn.length;
  const isBroken = outOfTurn.some((hold) =>
    passedBy(hold, served).some((other) => hasOrder(places.get(other.by), places.get(hold.by))),
  );
  const costs = costsOf(history, served);
  const figures = { waiters, inversions, ...costs };
  const promises = history.entries.some((entry) => entry.f === 'order-promised');
  const order =
    inversions === 0
      ? `All ${waiters} got it in the order of their coming.`
      : `${count(inversions, 'waiter')} of ${waiters} got it before one who had come earlier.`;
  const { wakeUpsPerRelease = 0 } = costs;
  const evidence = [
    [
      order,
      ...(promises && inversions > 0 && !isBroken ? ['In each process, and at the server, the order was kept.'] : []),
      handOverCost(figures),
      ...(wakeUpsPerRelease > 0 ? [`${wakeUpsPerRelease.toFixed(2)} watches were answered for each release.`] : []),
    ].join(' '),
  ];
  if (!promises) return { verdict: 'not-run', evidence: ['This lock promises no order.', ...evidence], figures };
  if (!line.some((place, index) => line.slice(index + 1).some((other) => hasOrder(place, other)))) {
    return { verdict: 'unknown', evidence: ['Who had come first was not seen.', ...evidence], figures };
  }
  return { verdict: isBroken || wakeUpsPerRelease >= HERD ? 'unsafe' : 'safe', evidence, figures };
}

/** Those who had asked earlier and are served later. */
function passedBy(hold: Hold, others: readonly Hold[]): readonly Hold[] {
  return others.filter((other) => other.asked < hold.asked && other.granted > hold.granted);
}

/** Whether it is certain which of the two came first. */
function hasOrder(one: LinedUp | undefined, other: LinedUp | undefined): boolean {
  if (!one || !other) return false;
  return one.client === other.client || (one.seen && other.seen);
}

type Costs = Pick<Figures, 'handOverMs' | 'commandsPerHandover' | 'wakeUpsPerRelease'>;

/** Each of the waiters was let in by one release. */
function costsOf({ entries }: History, served: readonly Hold[]): Costs & { readonly handOverMs: number } {
  const releases = entries.filter((entry) => entry.f === 'release' && entry.type === 'invoke');
  const times = served.map(({ granted }) => granted - (releases.findLast(({ at }) => at <= granted)?.at ?? granted));
  const handOverMs = Math.round(median(times) * 10) / 10;
  const counts = entries.filter((entry): entry is Extract<Entry, { f: 'counted' }> => entry.f === 'counted');
  const [before, after] = [counts.at(0), counts.at(-1)];
  if (!before || !after || before === after) return { handOverMs };
  const each = (from = 0, to = 0): number => Math.round(((to - from) / served.length) * 100) / 100;
  return {
    handOverMs,
    commandsPerHandover: each(before.requests, after.requests),
    ...(after.watchesAnswered === undefined
      ? {}
      : { wakeUpsPerRelease: each(before.watchesAnswered, after.watchesAnswered) }),
  };
}
