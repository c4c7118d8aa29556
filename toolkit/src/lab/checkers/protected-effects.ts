/**
 * What happened to the protected data, by the record of the resource itself, once for each of its two registers.
 *
 * A write is stale if a later holder has been at the register before it. An update is lost if a write came from a value
 * that did not know it yet. Either is damage.
 *
 * @module
 */
import { count } from '../format.ts';
import type { Entry, History, HoldId, Outcome } from '../history.ts';
import type { Figures } from '../result.ts';
import type { Checker, Finding } from './checker.ts';
import { holdsOf, stamps } from './holds.ts';

type Served = Extract<Entry, { f: 'served' }>;
type RegisterName = 'open' | 'guarded';

/** The register that takes every write. */
export const openRegister: Checker = { id: 'open-register', check: (history) => check('open', history) };

/** The register behind the guard. A lock without tokens cannot use it. */
export const guardedRegister: Checker = { id: 'guarded-register', check: (history) => check('guarded', history) };

function check(register: RegisterName, history: History): Finding {
  const accesses = servedIn(history).filter((entry) => entry[register] !== null);
  if (accesses.length === 0) {
    return register === 'guarded' && servedIn(history).length > 0
      ? { verdict: 'not-run', evidence: ['Without a fencing token there is nothing that a guard could compare.'] }
      : { verdict: 'unknown', evidence: ['Nobody came to the protected resource.'] };
  }

  const { accepted, refused, lost, strangers } = replay(register, history);
  const time = stamps(history);
  const figures = figuresOf(register, accepted.length, refused.length, lost.updates);
  const damage = [
    ...(accepted.length > 0
      ? [
          `${capital(count(accepted.length, 'stale write'))} ${went(register)}, the first by ${accepted[0]?.hold} at ${accepted[0] ? time(accepted[0].at) : ''}.`,
        ]
      : []),
    ...(lost.updates > 0
      ? [`${capital(count(lost.updates, 'update'))} of other holders lost, the first at ${time(lost.by[0]?.at ?? 0)}.`]
      : []),
  ];
  if (damage.length > 0) return { verdict: 'unsafe', evidence: damage, figures };
  if (strangers.length > 0) {
    return { verdict: 'unknown', evidence: [`Accesses by holds that nobody was granted: ${strangers.join(', ')}.`] };
  }
  const writes = accesses.filter((entry) => entry.access === 'write' && entry[register]?.accepted).length;
  const saved = refused.length > 0 ? ` The guard refused ${count(refused.length, 'stale write')}.` : '';
  return { verdict: 'safe', evidence: [`${count(writes, 'write')}, none stale, no update lost.${saved}`], figures };
}

function servedIn({ entries }: History): readonly Served[] {
  return entries.filter((entry): entry is Served => entry.f === 'served').sort((a, b) => a.seq - b.seq);
}

/** What a register did with writes that should not have been. */
export interface Replay {
  /** Stale writes, by what the register did with them. */
  readonly accepted: readonly Served[];
  readonly refused: readonly Served[];
  /** The writes that undid updates, and how many updates. */
  readonly lost: { updates: number; by: Served[] };
  readonly strangers: readonly HoldId[];
}

/** Goes through the record of a register once more. */
export function replay(register: RegisterName, history: History): Replay {
  const accesses = servedIn(history).filter((entry) => entry[register] !== null);
  const order = new Map(holdsOf(history).map((hold, index) => [hold.id, index]));
  const accepted: Served[] = [];
  const refused: Served[] = [];
  const lost: Replay['lost'] = { updates: 0, by: [] };
  const strangers = new Set<HoldId>();
  /** The newest holder that has come, and the newest that was let in. */
  let newest = -1;
  let latest = -1;
  for (const entry of accesses) {
    const rank = order.get(entry.hold);
    if (rank === undefined) strangers.add(entry.hold);
    else newest = Math.max(newest, rank);
    const outcome = entry[register] as Outcome;
    const isStale = rank !== undefined && rank < latest;
    if (!outcome.accepted) {
      if (entry.access === 'write' && rank !== undefined && rank < newest) refused.push(entry);
      continue;
    }
    if (rank !== undefined) latest = Math.max(latest, rank);
    if (entry.access === 'read') continue;
    if (isStale) accepted.push(entry);
    const unseen = outcome.version - 1 - (entry.basedOn?.[register] ?? outcome.version - 1);
    if (unseen <= 0) continue;
    lost.by.push(entry);
    lost.updates += unseen;
  }
  return { accepted, refused, lost, strangers: [...strangers] };
}

function figuresOf(register: RegisterName, accepted: number, refused: number, lostUpdates: number): Figures {
  return register === 'open'
    ? { staleWritesAccepted: accepted, lostUpdates }
    : { staleWritesPastGuard: accepted, staleWritesRefused: refused };
}

function went(register: RegisterName): string {
  return register === 'open' ? 'went into the register without a guard' : 'went past the guard';
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
