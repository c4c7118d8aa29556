/**
 * Whether those who wait for a lock get it in the order in which they came, and how many are woken for each release.
 *
 * Arrival is certain here: each waiter asks only when all before it were seen to wait at the server. How many were woken is
 * the servers' own count of the watches that they answered.
 *
 * @module
 */
import { count } from '../format.ts';
import type { Entry, History } from '../history.ts';
import type { Checker, Finding } from './checker.ts';
import { type Hold, holdsOf } from './holds.ts';

/** One is woken for each release; a second one now and then, whose watch was being renewed, is not a herd. */
const HERD = 2;

type Watches = Extract<Entry, { f: 'watches' }>;

export const queue: Checker = { id: 'queue', check };

function check(history: History): Finding {
  const counts = history.entries.filter((entry): entry is Watches => entry.f === 'watches');
  const [before, after] = [counts.at(0), counts.at(-1)];
  if (!before || !after || before === after) {
    return { verdict: 'unknown', evidence: ['The watches of the servers were not counted.'] };
  }
  const { waiters } = before;
  const served = holdsOf(history).filter(({ granted }) => granted > before.at);
  if (served.length < waiters) {
    return { verdict: 'unknown', evidence: [`Only ${served.length} of ${waiters} waiters got the lock.`] };
  }
  const inversions = served.filter((hold, index) => cameAfterALaterOne(hold, served.slice(index + 1))).length;
  // Each of the waiters was let in by one release.
  const wakeUpsPerRelease = Math.round(((after.answered - before.answered) / waiters) * 100) / 100;
  const figures = { waiters, inversions, wakeUpsPerRelease };
  const order =
    inversions === 0
      ? `All ${waiters} got it in the order of their coming.`
      : `${count(inversions, 'waiter')} of ${waiters} got it before one who had come earlier.`;
  const woken = `${wakeUpsPerRelease.toFixed(2)} watches were answered for each release.`;
  const promises = history.entries.some((entry) => entry.f === 'run' && entry.keepsOrder === true);
  const isKept = inversions === 0 && wakeUpsPerRelease < HERD;
  return {
    verdict: promises ? (isKept ? 'safe' : 'unsafe') : 'not-run',
    evidence: [...(promises ? [] : ['This lock promises no order.']), `${order} ${woken}`],
    figures,
  };
}

/** Whether somebody who had asked earlier is served later. */
function cameAfterALaterOne(hold: Hold, later: readonly Hold[]): boolean {
  return later.some((other) => other.asked < hold.asked);
}
