/**
 * Whether a history is worth judging: the run came to its end, every fault is proven to have had its effect, and the
 * record is whole. Where it is not, nothing that the other checkers say counts.
 *
 * @module
 */
import { count, span } from '../format.ts';
import type { Entry, History } from '../history.ts';
import type { Checker, Finding } from './checker.ts';
import { holdsOf } from './holds.ts';

export const sanity: Checker = { id: 'sanity', check };

function check(history: History): Finding {
  const objections = [
    ...troubles(history),
    ...unprovenFaults(history),
    ...gaps(history),
    ...overlappingOperations(history),
    ...workBeforeFault(history),
    ...slowness(history),
    ...(history.unreadable > 0 ? [`${history.unreadable} lines of the history cannot be read.`] : []),
    ...(history.entries.some((entry) => entry.f === 'end') ? [] : ['The run did not come to its end.']),
  ];
  if (objections.length > 0) return { verdict: 'unknown', evidence: objections };
  const faults = history.entries.filter((entry) => entry.f === 'fault' && entry.type === 'ok').length;
  const proven = faults === 0 ? '' : `; ${count(faults, 'fault')} proven`;
  return { verdict: 'safe', evidence: [`The record is whole${proven}.`] };
}

function troubles({ entries }: History): string[] {
  return entries.flatMap((entry) => (entry.f === 'trouble' ? [entry.error] : []));
}

function unprovenFaults({ entries }: History): string[] {
  const open = new Map<number, string>();
  const objections: string[] = [];
  for (const entry of entries) {
    if (entry.f !== 'fault') continue;
    if (entry.type === 'invoke') open.set(entry.op, `${entry.act} ${entry.target}`);
    else open.delete(entry.op);
    if (entry.type === 'fail')
      objections.push(`The fault "${entry.act} ${entry.target}" had no effect: ${entry.proof}`);
  }
  return [
    ...objections,
    ...[...open.values()].map((what) => `Nothing proves that the fault "${what}" had its effect.`),
  ];
}

function gaps({ entries }: History): string[] {
  const seqs = entries.flatMap((entry) => (entry.f === 'served' ? [entry.seq] : [])).sort((a, b) => a - b);
  const isWhole = seqs.every((seq, index) => seq === index + 1);
  return isWhole ? [] : ['The record of the protected resource has a gap.'];
}

/** A process does one thing at a time, so an operation that begins inside another means a broken record. */
function overlappingOperations({ entries }: History): string[] {
  const open = new Map<string, number>();
  const objections: string[] = [];
  for (const entry of entries) {
    if (!isOperation(entry)) continue;
    if (entry.type === 'invoke') {
      if (open.has(entry.by))
        objections.push(`${entry.by} began operation ${entry.op} inside operation ${open.get(entry.by)}.`);
      open.set(entry.by, entry.op);
    } else {
      if (open.get(entry.by) !== entry.op)
        objections.push(`${entry.by} ended operation ${entry.op}, which it had not begun.`);
      open.delete(entry.by);
    }
  }
  return objections;
}

function isOperation(entry: Entry): entry is Extract<Entry, { f: 'acquire' | 'release' | 'read' | 'write' }> {
  return entry.f === 'acquire' || entry.f === 'release' || entry.f === 'read' || entry.f === 'write';
}

/** A lock that did not work before the fault either says nothing about the fault. */
function workBeforeFault({ entries }: History): string[] {
  const fault = entries.find(
    (entry) => entry.f === 'fault' && entry.type === 'invoke' && entry.act !== 'cut' && entry.target !== 'replica',
  );
  const worked = entries.some(
    (entry) => entry.f === 'served' && entry.access === 'write' && (!fault || entry.at < fault.at),
  );
  return worked ? [] : ['No holder did any work before the fault.'];
}

/**
 * A rival that is granted the lock before anything went wrong, but when the TTL of the first was over: that was a machine
 * too slow for this TTL, and not the fault that the experiment is about.
 */
function slowness(history: History): string[] {
  const ttlMs = history.entries.find((entry) => entry.f === 'run')?.ttlMs ?? 0;
  const fault = history.entries.find(
    (entry) => entry.f === 'fault' && entry.type === 'invoke' && (entry.act !== 'cut' || entry.target === 'A'),
  );
  const [first, second] = holdsOf(history);
  const isLate = first && second && fault && second.granted < fault.at && second.granted - first.granted > 0.9 * ttlMs;
  if (!isLate) return [];
  return [`This machine needed more than the TTL of ${span(ttlMs)} to get to the fault. A longer --ttl would help.`];
}
