/**
 * What the death of a server did to a lock that was held: how long the rival got no answer, and whether its holder has it
 * still.
 *
 * @module
 */
import { span } from '../format.ts';
import type { Entry, History } from '../history.ts';
import type { Checker, Finding } from './checker.ts';
import { holdsOf, stamps } from './holds.ts';

type Acquire = Extract<Entry, { f: 'acquire' }>;

export const service: Checker = { id: 'service', check };

function check(history: History): Finding {
  const fault = history.entries.find((entry) => entry.f === 'fault' && entry.type === 'invoke');
  const [first, rival] = holdsOf(history);
  if (!fault || !first || first.granted > fault.at) {
    return { verdict: 'unknown', evidence: ['Nobody held the lock when the server died.'] };
  }
  const withoutServiceMs = longestSilence(history, fault.at);
  if (withoutServiceMs === undefined) {
    return { verdict: 'unknown', evidence: ['No question for the lock was answered after the fault.'] };
  }
  const time = stamps(history);
  const successor = history.entries.find(
    (entry) => entry.f === 'server' && entry.event === 'leads' && entry.at > fault.at,
  );
  const electionMs = successor && Math.round(successor.at - fault.at);
  const figures = { withoutServiceMs, ...(electionMs === undefined ? {} : { electionMs }) };
  const silence = `${successor ? `${successor.by} led after ${span(electionMs ?? 0)}; the` : 'The'} rival had no answer for ${span(withoutServiceMs)}.`;
  const released = history.entries.find(
    (entry) => entry.f === 'release' && entry.type === 'invoke' && entry.hold === first.id,
  );
  const end = first.beliefs.at(-1)?.to;
  if (first.doubts.length > 0 || !released || end === undefined) {
    const evidence = `${first.id} lost the lock${end === undefined ? '' : ` at ${time(end)}`}. ${silence}`;
    return { verdict: 'unsafe', evidence: [evidence], figures: { ...figures, lockKept: false } };
  }
  if (rival && rival.granted < released.at) {
    const evidence = `${rival.id} was given the lock at ${time(rival.granted)}, before ${first.id} gave it back. ${silence}`;
    return { verdict: 'unsafe', evidence: [evidence], figures: { ...figures, lockKept: false } };
  }
  const evidence = `${first.id} kept the lock until it gave it back at ${time(released.at)}. ${silence}`;
  return { verdict: 'safe', evidence: [evidence], figures: { ...figures, lockKept: true } };
}

/** The longest time between two answers to questions for the lock, of those that end after the fault. */
function longestSilence({ entries }: History, faultAt: number): number | undefined {
  const answers = entries.filter(
    (entry): entry is Acquire => entry.f === 'acquire' && (entry.type === 'ok' || entry.type === 'fail'),
  );
  const silences = answers.slice(1).flatMap((answer, index) => {
    const before = answers[index];
    return before && answer.at > faultAt ? [answer.at - before.at] : [];
  });
  return silences.length === 0 ? undefined : Math.round(Math.max(...silences));
}
