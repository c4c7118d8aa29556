/**
 * From a history to what people want to read: the moments that matter, in order. Nothing is left out that would change
 * the story; what repeats is said once, with its number.
 *
 * @module
 */
import { holdsOf, originOf, stopsOf } from './checkers/holds.ts';
import { count, ordinal, span } from './format.ts';
import type { Entry, History } from './history.ts';
import type { Moment } from './result.ts';

type Of<F extends Entry['f']> = Extract<Entry, { f: F }>;
type Served = Of<'served'>;

interface Told extends Omit<Moment, 'atMs'> {
  readonly at: number;
}

export function momentsOf(history: History): readonly Moment[] {
  const told = [
    ...acquisitions(history),
    ...probes(history),
    ...faults(history),
    ...servers(history),
    ...beliefs(history),
    ...staleAccesses(history),
    ...releases(history),
    ...troubles(history),
  ];
  const origin = originOf(history);
  return told
    .sort((one, other) => one.at - other.at)
    .map(({ at, ...moment }) => ({ atMs: Math.round((at - origin) * 100) / 100, ...moment }));
}

function acquisitions({ entries }: History): Told[] {
  const ttlMs = entries.find((entry): entry is Of<'run'> => entry.f === 'run')?.ttlMs ?? 0;
  const contend = entries.find((entry): entry is Of<'contend'> => entry.f === 'contend');
  return entries.flatMap((entry): Told[] => {
    if (entry.f === 'contend') {
      return [{ at: entry.at, by: entry.by, says: `asks for the lock every ${span(entry.everyMs)}`, tone: 'plain' }];
    }
    if (entry.f !== 'acquire' || entry.type !== 'ok') return [];
    const tries = contend && entry.at > contend.at ? triesUntil(entry, contend, entries) : 0;
    const details = [
      ...(tries > 0 ? [`try ${tries}`] : [`TTL ${span(ttlMs)}`]),
      ...(entry.token === undefined ? [] : [`token ${entry.token}`]),
    ];
    return [{ at: entry.at, by: entry.by, says: `has the lock (${details.join(', ')})`, tone: 'good' }];
  });
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

/** Tries before the fault, and the first of those that failed with an error. */
function probes({ entries }: History): Told[] {
  const contendAt = entries.find((entry) => entry.f === 'contend')?.at ?? Number.POSITIVE_INFINITY;
  const refused = entries.find((entry) => entry.f === 'acquire' && entry.type === 'fail' && entry.at < contendAt);
  const failed = entries.filter(
    (entry): entry is Of<'acquire'> & { type: 'info' } => entry.f === 'acquire' && entry.type === 'info',
  );
  const [first] = failed;
  return [
    ...(refused ? [{ at: refused.at, by: refused.by, says: 'asks once, and is refused', tone: 'plain' as const }] : []),
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

const DONE: Readonly<Record<Of<'fault'>['act'], string>> = {
  kill: 'is killed',
  stop: 'is stopped',
  continue: 'goes on',
  cut: 'is cut off',
  promote: 'is the primary now',
};

function faults({ entries }: History): Told[] {
  const begun = new Map<number, Of<'fault'> & { type: 'invoke' }>();
  return entries.flatMap((entry): Told[] => {
    if (entry.f !== 'fault') return [];
    if (entry.type === 'invoke') {
      begun.set(entry.op, entry);
      return [];
    }
    const begin = begun.get(entry.op);
    const by = entry.target;
    if (!begin) return [];
    if (entry.type === 'fail')
      return [{ at: entry.at, by, says: `no effect of "${entry.act}": ${entry.proof}`, tone: 'bad' }];
    // A signal counts from its sending; a promotion is over when it is proven.
    const at = entry.act === 'promote' ? entry.at : begin.at;
    return [{ at, by, says: `${DONE[entry.act]}: ${begin.says} (${entry.proof})`, tone: 'fault' }];
  });
}

/** What renews a key, what ends it, and what a server has. */
function servers(history: History): Told[] {
  const events = history.entries.filter((entry): entry is Of<'server'> => entry.f === 'server');
  const renewals = events.filter((event, index) => event.event === 'expire' && !isMaking(events, index));
  const grants = holdsOf(history).map(({ granted }) => granted);
  // Those of each holder for themselves.
  const ofEachHold = grants.map((granted, index) =>
    renewals.filter(({ at }) => at >= granted && at < (grants[index + 1] ?? Number.POSITIVE_INFINITY)),
  );
  return [...ofEachHold.flatMap(tellRenewals), ...events.flatMap(tellEvent)];
}

/** The expiry that comes with a new value belongs to the making of the key. */
function isMaking(events: readonly Of<'server'>[], index: number): boolean {
  const event = events[index];
  const before = events.slice(0, index).findLast(({ by, key }) => by === event?.by && key === event?.key);
  return before !== undefined && before.event !== 'expire';
}

function tellRenewals(renewals: readonly Of<'server'>[]): Told[] {
  const told = renewals.length <= 3 ? renewals : [renewals[0], renewals.at(-1)];
  return told.flatMap((entry, index): Told[] => {
    if (!entry) return [];
    const says =
      renewals.length > 3 && index === 1
        ? `the key is renewed, for the ${ordinal(renewals.length)} time`
        : 'the key is renewed';
    return [{ at: entry.at, by: entry.by, says, tone: 'plain' }];
  });
}

function tellEvent({ at, by, event, says }: Of<'server'>): Told[] {
  if (says !== undefined) return [{ at, by, says, tone: 'bad' }];
  return event === 'expired' ? [{ at, by, says: 'the key expires', tone: 'plain' }] : [];
}

/** What the lock itself says after its holder was stopped, and when it finds out that it has lost. */
function beliefs(history: History): Told[] {
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

/** The first stale write, and how many came after it. */
function staleAccesses(history: History): Told[] {
  const holds = holdsOf(history);
  const served = history.entries.filter((entry): entry is Served => entry.f === 'served');
  return holds.flatMap((hold, index): Told[] => {
    const later = new Set(holds.slice(index + 1).map(({ id }) => id));
    const firstRival = served.find((entry) => later.has(entry.hold));
    if (!firstRival) return [];
    const stale = served.filter(
      (entry) => entry.access === 'write' && entry.hold === hold.id && entry.seq > firstRival.seq,
    );
    const [first] = stale;
    const last = stale.at(-1);
    if (!first || !last) return [];
    const told: Told[] = [
      { at: first.at, by: hold.by, says: `writes from what it read before: ${fate(first)}`, tone: toneOf(first) },
    ];
    if (last !== first) {
      told.push({ at: last.at, by: hold.by, says: `has written ${stale.length} times like that`, tone: toneOf(last) });
    }
    return told;
  });
}

function fate({ guarded, token }: Served): string {
  if (guarded === null) return 'taken, there is no token to check';
  return guarded.accepted
    ? `taken, even by the guard (token ${token})`
    : `refused by the guard (token ${token} < ${guarded.floor})`;
}

function toneOf({ guarded }: Served): Moment['tone'] {
  return guarded && !guarded.accepted ? 'good' : 'bad';
}

/** A release of the old holder that ends its rival's lock is the last thing that can go wrong. */
function releases(history: History): Told[] {
  const holds = holdsOf(history);
  return history.entries.flatMap((entry): Told[] => {
    if (entry.f !== 'release' || entry.type !== 'invoke') return [];
    const by = entry.by;
    const told: Told[] = [{ at: entry.at, by, says: 'releases', tone: 'plain' }];
    const rival = holds.find(
      (hold) => hold.by !== by && hold.beliefs.some(({ from, to }) => from < entry.at && to > entry.at),
    );
    const deleted = history.entries.find(
      (other): other is Of<'server'> =>
        other.f === 'server' && other.event === 'del' && other.at > entry.at && other.at - entry.at < 500,
    );
    if (rival && deleted && isBefore(deleted, 'release', rival.id, history)) {
      told.push({
        at: deleted.at,
        by: deleted.by,
        says: `the key is deleted, and it was ${rival.by}'s lock`,
        tone: 'bad',
      });
    }
    return told;
  });
}

function isBefore(entry: Entry, f: 'release', hold: string, { entries }: History): boolean {
  const release = entries.find((other) => other.f === f && other.hold === hold && other.type === 'invoke');
  return release === undefined || entry.at < release.at;
}

function troubles({ entries }: History): Told[] {
  return entries.flatMap((entry): Told[] =>
    entry.f === 'trouble' ? [{ at: entry.at, by: entry.by, says: entry.error, tone: 'bad' }] : [],
  );
}
