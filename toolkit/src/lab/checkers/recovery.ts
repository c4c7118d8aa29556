/**
 * Whether the lock was to be had again after its holder was killed, and how long that took.
 *
 * @module
 */
import { ordinal, span } from '../format.ts';
import type { Entry, History } from '../history.ts';
import type { Checker, Finding } from './checker.ts';
import { holdsOf } from './holds.ts';

type Acquire = Extract<Entry, { f: 'acquire' }>;
type Fault = Extract<Entry, { f: 'fault' }>;

export const recovery: Checker = { id: 'recovery', check };

function check(history: History): Finding {
  const { entries } = history;
  const ttlMs = entries.find((entry) => entry.f === 'run')?.ttlMs ?? 0;
  const contend = entries.find((entry) => entry.f === 'contend');
  const fault = entries.find(isBeginOfFault);
  if (!fault || !contend) {
    return { verdict: 'unknown', evidence: ['Nobody asked for the lock after the fault.'] };
  }
  const attempts = entries.filter(
    (entry): entry is Acquire => entry.f === 'acquire' && entry.by === contend.by && entry.at >= contend.at,
  );
  const tries = attempts.filter((entry) => entry.type === 'invoke').length;
  const granted = attempts.find((entry) => entry.type === 'ok');
  if (granted) {
    const recoveryMs = Math.round(granted.at - fault.at);
    const evidence = `${granted.by} had the lock ${span(recoveryMs)} after the fault, at its ${ordinal(tries)} try.`;
    return { verdict: 'safe', evidence: [evidence], figures: { recoveryMs, tries } };
  }
  const last = attempts.at(-1);
  const holder = last && stillHolding(fault, last, history);
  if (holder) {
    const evidence = `${holder} held it until then, and nothing had been done to its process: it was not to come free.`;
    return { verdict: 'not-run', evidence: [evidence], figures: { tries } };
  }
  const waited = `within ${span((last?.at ?? contend.at) - fault.at)} after the fault, in ${tries} tries`;
  if (last?.type === 'fail') {
    const evidence = `The lock did not come free ${waited}. Its TTL was to be ${span(ttlMs)}.`;
    return { verdict: 'unsafe', evidence: [evidence], figures: { tries } };
  }
  const said = last?.type === 'info' ? ` The last try failed with: ${last.error}` : '';
  return {
    verdict: 'unknown',
    evidence: [`Nobody knows whether the lock came free ${waited}.${said}`],
    figures: { tries },
  };
}

/** Who believed that it holds when the rival was refused last, after the death of a server, and not of a holder. */
function stillHolding(fault: Fault, last: Acquire, history: History): string | undefined {
  if (fault.act !== 'kill' || last.type !== 'fail') return undefined;
  const holds = holdsOf(history).filter(
    ({ by, granted }) => by !== last.by && granted < fault.at && !history.entries.some((entry) => isFaultOf(entry, by)),
  );
  return holds.find(({ beliefs }) => beliefs.some(({ from, to }) => from < last.at && to > last.at))?.id;
}

function isFaultOf(entry: Entry, target: string): boolean {
  return entry.f === 'fault' && entry.target === target;
}

/** What was done to the holder, or to a server that it needs. */
function isBeginOfFault(entry: Entry): entry is Fault {
  return (
    entry.f === 'fault' &&
    entry.type === 'invoke' &&
    (entry.act === 'kill' ||
      entry.act === 'stop' ||
      entry.act === 'hang' ||
      (entry.act === 'jump' && entry.target !== 'replica') ||
      (entry.act === 'cut' && entry.target === 'A'))
  );
}
