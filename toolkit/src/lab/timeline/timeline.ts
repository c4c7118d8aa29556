/**
 * From a history to what people want to read: the moments that matter, in order. Nothing is left out that would change
 * the story; what repeats is said once, with its number.
 *
 * @module
 */
import { holdsOf, originOf } from '../checkers/holds.ts';
import type { History } from '../history.ts';
import type { Moment } from '../result.ts';
import { acquisitions, beliefs, probes, releases } from './holders.ts';
import { servers } from './servers.ts';
import { staleWrites } from './stale-writes.ts';
import type { Of, Told } from './told.ts';

export function momentsOf(history: History): readonly Moment[] {
  const told = [
    ...acquisitions(history),
    ...probes(history),
    ...faults(history),
    ...servers(history),
    ...beliefs(history),
    ...staleWrites(history),
    ...releases(history),
    ...troubles(history),
  ];
  const origin = originOf(history);
  return withFewWaiters(told, history)
    .sort((one, other) => one.at - other.at)
    .map(({ at, ...moment }) => ({ atMs: Math.round((at - origin) * 100) / 100, ...moment }));
}

/** Of many who wait in a row, the first two and the last are told. */
const WAITERS_TOLD = 3;

function withFewWaiters(told: readonly Told[], history: History): Told[] {
  const waiters = holdsOf(history).filter(({ by }) => /^W\d+$/.test(by));
  if (waiters.length <= WAITERS_TOLD) return [...told];
  const untold = waiters.slice(2, -1);
  const names = new Set(untold.map(({ by }) => by));
  const [first] = untold;
  const rest: Told = {
    at: first?.granted ?? 0,
    by: 'W…',
    says: `${untold.length} more have the lock, one after the other`,
    tone: 'good',
  };
  return [...told.filter(({ by }) => !names.has(by)), rest];
}

const DONE: Readonly<Record<Of<'fault'>['act'], string>> = {
  kill: 'is killed',
  stop: 'is stopped',
  continue: 'goes on',
  cut: 'is cut off',
  promote: 'is the primary now',
  hang: 'hangs',
  start: 'is there again',
  jump: 'has another time',
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

function troubles({ entries }: History): Told[] {
  return entries.flatMap((entry): Told[] =>
    entry.f === 'trouble' ? [{ at: entry.at, by: entry.by, says: entry.error, tone: 'bad' }] : [],
  );
}
