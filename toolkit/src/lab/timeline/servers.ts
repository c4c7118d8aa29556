import { holdsOf } from '../checkers/holds.ts';
import { ordinal } from '../format.ts';
import type { History } from '../history.ts';
import type { Of, Told } from './told.ts';

/** What renews a key, what ends it, and what a server has. */
export function servers(history: History): Told[] {
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
export function isMaking(events: readonly Of<'server'>[], index: number): boolean {
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

/** What is no misfortune. */
const PLAIN: readonly string[] = ['leads', 'votes'];

function tellEvent({ at, by, event, says }: Of<'server'>): Told[] {
  if (says !== undefined) return [{ at, by, says, tone: PLAIN.includes(event) ? 'plain' : 'bad' }];
  return event === 'expired' ? [{ at, by, says: 'the key expires', tone: 'plain' }] : [];
}
