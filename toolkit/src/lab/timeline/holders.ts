/**
 * What the holders do and think: ask, get the lock, find out that it is lost or do not, release.
 *
 * @module
 */
import { type Hold, holdsOf, stopsOf, ttlOf } from '../checkers/holds.ts';
import { count, span } from '../format.ts';
import type { Entry, History } from '../history.ts';
import type { Of, Told } from './told.ts';

export function acquisitions({ entries }: History): Told[] {
  const contend = entries.find((entry): entry is Of<'contend'> => entry.f === 'contend');
  return entries.flatMap((entry): Told[] => {
    if (entry.f === 'contend') {
      const says = entry.everyMs === 0 ? 'waits for the lock' : `asks for the lock every ${span(entry.everyMs)}`;
      return [{ at: entry.at, by: entry.by, says, tone: 'plain' }];
    }
    if (entry.f !== 'acquire' || entry.type !== 'ok') return [];
    const tries = contend && entry.at > contend.at ? triesUntil(entry, contend, entries) : 0;
    const details = [
      ...(tries > 1 ? [`try ${tries}`] : [`TTL ${span(ttlOf(entry, entries))}`]),
      ...(entry.token === undefined ? [] : [`token ${entry.token}`]),
    ];
    return [{ at: entry.at, by: entry.by, says: `has the lock (${details.join(', ')})`, tone: 'good' }];
  });
}

/** Tries before the fault, and the first of those that failed with an error. */
export function probes({ entries }: History): Told[] {
  const contendAt = entries.find((entry) => entry.f === 'contend')?.at ?? Number.POSITIVE_INFINITY;
  const refused = entries.find(
    (entry): entry is Of<'acquire'> => entry.f === 'acquire' && entry.type === 'fail' && entry.at < contendAt,
  );
  const failed = entries.filter(
    (entry): entry is Of<'acquire'> & { type: 'info' } => entry.f === 'acquire' && entry.type === 'info',
  );
  const [first] = failed;
  return [
    ...(refused
      ? [
          {
            at: refused.at,
            by: refused.by,
            says: hasWaited(refused, entries) ? 'has waited, and gives up' : 'asks once, and is refused',
            tone: 'plain' as const,
          },
        ]
      : []),
    ...(first
      ? [
          {
            at: first.at,
            by: first.by,
            says: `${count(failed.length, 'request')} for the lock failed: ${first.error}`,
            tone: 'bad' as const,
          },
        ]
      : []),
  ];
}

function hasWaited(refused: Of<'acquire'>, entries: readonly Entry[]): boolean {
  return entries.some(
    (entry) =>
      entry.f === 'acquire' &&
      entry.type === 'invoke' &&
      entry.by === refused.by &&
      entry.op === refused.op &&
      entry.waitMs > 0,
  );
}

/** What the lock itself says after its holder was stopped, and when it finds out that it has lost. */
export function beliefs(history: History): Told[] {
  const rivalAt = holdsOf(history)[1]?.granted ?? Number.POSITIVE_INFINITY;
  return holdsOf(history).flatMap((hold): Told[] => {
    const answers = history.entries.filter(
      (entry): entry is Of<'belief'> => entry.f === 'belief' && entry.hold === hold.id,
    );
    const wakes = stopsOf(hold.by, history).map(({ to }) => to);
    const lost = answers.find((entry) => !entry.believes);
    const awoke = answers.find((entry) => entry.believes && wakes.some((wake) => entry.at >= wake));
    const told: Told[] = [];
    if (awoke)
      told.push({ at: awoke.at, by: hold.by, says: 'wakes, and still believes that it holds the lock', tone: 'bad' });
    if (lost) {
      const afterWaking = wakes.some((wake) => lost.at >= wake && lost.at - wake < 1_000);
      const says = afterWaking
        ? 'wakes, and knows at its first look that the lock is lost'
        : 'learns that it has lost the lock';
      told.push({ at: lost.at, by: hold.by, says, tone: 'good' });
    } else if (!awoke && hold.granted < rivalAt && believedBeyond(hold.beliefs.at(-1)?.to, rivalAt)) {
      const to = hold.beliefs.at(-1)?.to ?? rivalAt;
      told.push({
        at: to,
        by: hold.by,
        says: `has been told nothing for ${span(to - rivalAt)}, and believes that it holds`,
        tone: 'bad',
      });
    }
    return told;
  });
}

function believedBeyond(end: number | undefined, at: number): boolean {
  return end !== undefined && end > at;
}

/** A release of the old holder that ends its rival's lock is the last thing that can go wrong. */
export function releases(history: History): Told[] {
  const holds = holdsOf(history);
  const faultAt = history.entries.find((entry) => entry.f === 'fault')?.at ?? Number.POSITIVE_INFINITY;
  return history.entries.flatMap((entry): Told[] => {
    if (entry.f !== 'release' || entry.type === 'ok') return [];
    if (entry.type === 'info') {
      const tone = entry.at < faultAt ? 'bad' : 'plain';
      return [{ at: entry.at, by: entry.by, says: `its release failed: ${entry.error}`, tone }];
    }
    const told: Told[] = [{ at: entry.at, by: entry.by, says: 'releases', tone: 'plain' }];
    const rival = holds.find(
      ({ by, beliefs }) => by !== entry.by && beliefs.some(({ from, to }) => from < entry.at && to > entry.at),
    );
    const deletion = rival && deletionOf(rival, entry.at, history);
    if (!deletion) return told;
    const says = `the key is deleted, and it was ${rival.by}'s lock`;
    return [...told, { at: deletion.at, by: deletion.by, says, tone: 'bad' }];
  });
}

/** How late the news of a server may be. */
const LATE_MS = 50;

/** The deletion of a key that came with a grant, after this moment and before its holder released. */
function deletionOf({ asked, granted, beliefs }: Hold, after: number, { entries }: History): Of<'server'> | undefined {
  const events = entries.filter((entry): entry is Of<'server'> => entry.f === 'server' && entry.key !== undefined);
  const made = events.filter(
    ({ event, at }) => !['del', 'expire', 'expired'].includes(event) && at >= asked && at <= granted + LATE_MS,
  );
  const releasedAt = beliefs.at(-1)?.to ?? after;
  return events.find(
    ({ event, at, key, by: server }) =>
      event === 'del' && at > after && at < releasedAt && made.some((one) => one.key === key && one.by === server),
  );
}

function triesUntil(grant: Entry, contend: Of<'contend'>, entries: readonly Entry[]): number {
  return entries.filter(
    (entry) =>
      entry.f === 'acquire' &&
      entry.type === 'invoke' &&
      entry.by === contend.by &&
      entry.at >= contend.at &&
      entry.at <= grant.at,
  ).length;
}
