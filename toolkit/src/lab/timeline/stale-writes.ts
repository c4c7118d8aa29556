import { holdsOf } from '../checkers/holds.ts';
import type { History } from '../history.ts';
import type { Moment } from '../result.ts';
import type { Of, Told } from './told.ts';

/** The first stale write, and how many came after it. */
export function staleWrites(history: History): Told[] {
  const holds = holdsOf(history);
  const served = history.entries.filter((entry): entry is Of<'served'> => entry.f === 'served');
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

function fate({ guarded, token }: Of<'served'>): string {
  if (guarded === null) return 'taken, there is no token to check';
  return guarded.accepted
    ? `taken, even by the guard (token ${token})`
    : `refused by the guard (token ${token} < ${guarded.floor})`;
}

function toneOf({ guarded }: Of<'served'>): Moment['tone'] {
  return guarded && !guarded.accepted ? 'good' : 'bad';
}
