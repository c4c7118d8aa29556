/**
 * Whether a lock that is given back comes to the one who waits for it, how soon, and whether the release itself went well.
 *
 * @module
 */
import { span } from '../format.ts';
import type { Entry, History } from '../history.ts';
import type { Checker, Finding } from './checker.ts';
import { holdsOf } from './holds.ts';

type Release = Extract<Entry, { f: 'release' }>;
type Begun = Extract<Entry, { f: 'acquire' | 'release'; type: 'invoke' }>;

export const handOver: Checker = { id: 'hand-over', check };

function check(history: History): Finding {
  const holds = holdsOf(history);
  const releases = history.entries.filter(
    (entry): entry is Release & { type: 'invoke' } => entry.f === 'release' && entry.type === 'invoke',
  );
  const failures = failedReleases(history);
  const refusals = releases.flatMap((release) => {
    const refused = refusedAfter(release, history);
    if (!refused) return [];
    const waited = span(refused.at - release.at);
    return [
      `${refused.by} waited for the lock, and did not get it within ${waited} after ${release.hold} was given back.`,
    ];
  });
  if (refusals.length > 0) return { verdict: 'unsafe', evidence: [...refusals, ...failures] };
  if (failures.length > 0) return { verdict: 'unknown', evidence: failures };

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

/** The releases that rejected although nothing had gone wrong before. After a fault they may have every reason to. */
function failedReleases({ entries }: History): string[] {
  const faultAt = entries.find((entry) => entry.f === 'fault')?.at ?? Number.POSITIVE_INFINITY;
  return entries.flatMap((entry) =>
    entry.f === 'release' && entry.type === 'info' && entry.at < faultAt
      ? [`The release of ${entry.hold} failed, and nothing had gone wrong before: ${entry.error}`]
      : [],
  );
}

/** The answer of one who had asked before this release, and was told after it that the lock is not to be had. */
function refusedAfter(release: Begun, { entries }: History): Entry | undefined {
  const waiting = entries.filter(
    (entry): entry is Begun =>
      entry.f === 'acquire' && entry.type === 'invoke' && entry.by !== release.by && entry.at < release.at,
  );
  return entries.find(
    (entry) =>
      entry.f === 'acquire' &&
      entry.type === 'fail' &&
      entry.at > release.at &&
      waiting.some(({ op, by }) => op === entry.op && by === entry.by),
  );
}
