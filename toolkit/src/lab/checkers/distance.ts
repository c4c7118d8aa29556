/**
 * What a lock costs that is some way off, in round trips: taking and releasing one that nobody else wants, and handing it
 * to one who waits. Of the pairs the quickest counts, as of the round trips: a busy machine only adds to it. Of the
 * hand-overs the median counts, since chance is part of some locks.
 *
 * @module
 */
import { median, span } from '../format.ts';
import type { Entry, History } from '../history.ts';
import type { Checker, Finding } from './checker.ts';
import { holdsOf } from './holds.ts';

type Release = Extract<Entry, { f: 'release' }>;

export const distance: Checker = { id: 'distance', check };

function check(history: History): Finding {
  const { entries } = history;
  const roundTrip = entries.find((entry) => entry.f === 'round-trip');
  if (!roundTrip) return { verdict: 'unknown', evidence: ['How long a round trip takes was not measured.'] };
  const releases = entries.filter((entry): entry is Release => entry.f === 'release');
  const sections = new Set(entries.flatMap((entry) => (entry.f === 'section' ? entry.hold : [])));
  const holds = holdsOf(history);
  const pairs = holds.flatMap(({ id, asked, granted }) => {
    const [sent, answered] = releases.filter(({ hold }) => hold === id);
    // Who went into the section was one of those who waited.
    return sections.has(id) || !sent || answered?.type !== 'ok' ? [] : [granted - asked + answered.at - sent.at];
  });
  const handOvers = releases
    .filter(({ type }) => type === 'invoke')
    .flatMap(({ at, by }) => {
      const next = holds.find((hold) => hold.by !== by && hold.asked < at && hold.granted >= at);
      return next ? [next.granted - at] : [];
    });
  if (pairs.length === 0) return { verdict: 'unknown', evidence: ['Nobody took the lock and gave it back alone.'] };
  if (handOvers.length === 0) {
    return { verdict: 'unknown', evidence: ['Nobody waited for the lock when it was given back.'] };
  }
  const tenth = (n: number): number => Math.round(n * 10) / 10;
  const [pairMs, handOverMs] = [tenth(Math.min(...pairs)), tenth(median(handOvers))];
  const inTrips = (ms: number): number => tenth(ms / roundTrip.tookMs);
  const figures = {
    roundTripMs: roundTrip.tookMs,
    pairMs,
    pairRoundTrips: inTrips(pairMs),
    handOverMs,
    handOverRoundTrips: inTrips(handOverMs),
  };
  const evidence = [
    `A round trip took ${span(roundTrip.tookMs)}.`,
    `Taking and releasing a free lock took ${span(pairMs)}, ${figures.pairRoundTrips} of them.`,
    `A hand-over took ${span(handOverMs)}, ${figures.handOverRoundTrips} of them.`,
  ];
  return { verdict: 'safe', evidence: [evidence.join(' ')], figures };
}
