/**
 * How soon a lock that is given back comes to the one who waits for it.
 *
 * @module
 */
import { span } from '../format.ts';
import type { Entry, History } from '../history.ts';
import type { Checker, Finding } from './checker.ts';
import { holdsOf } from './holds.ts';

type Release = Extract<Entry, { f: 'release' }>;

export const handOver: Checker = { id: 'hand-over', check };

function check(history: History): Finding {
  const holds = holdsOf(history);
  const releases = history.entries.filter(
    (entry): entry is Release => entry.f === 'release' && entry.type === 'invoke',
  );
  const handOvers = releases.flatMap(({ at, by }) => {
    // Who had asked before, and was served next.
    const next = holds.find((hold) => hold.by !== by && hold.asked < at && hold.granted >= at);
    return next ? [{ ms: next.granted - at, from: by, to: next.by }] : [];
  });
  const [first] = handOvers;
  if (!first) return { verdict: 'unknown', evidence: ['Nobody waited for the lock when it was given back.'] };
  const handOverMs = Math.round(first.ms * 10) / 10;
  const evidence = `${first.to} had the lock ${span(handOverMs)} after ${first.from} had sent its release.`;
  return { verdict: 'safe', evidence: [evidence], figures: { handOverMs } };
}
