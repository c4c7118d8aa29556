/**
 * What became of the lock when its server failed: whether it was given at all, and whether its holder still had it
 * afterwards.
 *
 * @module
 */
import { count, span } from '../format.ts';
import type { Entry, History } from '../history.ts';
import type { Checker, Finding } from './checker.ts';
import { holdsOf } from './holds.ts';

type Acquire = Extract<Entry, { f: 'acquire' }>;

/** As the lab says it of a server that takes over, or came back. */
const SAYS_LOST = /so (the lock|it) is lost$/;

export const survival: Checker = { id: 'survival', check };

function check(history: History): Finding {
  const { entries } = history;
  const refused = entries.find((entry) => entry.f === 'refused');
  if (refused) {
    const evidence = `It was refused, rather than given: ${refused.error}`;
    return { verdict: 'safe', evidence: [evidence], figures: { lockRefused: true } };
  }
  const killed = entries.find((entry) => entry.f === 'fault' && entry.type === 'invoke' && entry.act === 'kill');
  const holds = holdsOf(history);
  const first = killed && holds.findLast(({ granted }) => granted < killed.at);
  if (!killed || !first) {
    return { verdict: 'unknown', evidence: ['Nobody held the lock when the server died.'] };
  }
  const released = entries.find((entry) => entry.f === 'release' && entry.type === 'invoke' && entry.hold === first.id);
  const rival = holds.find(({ by, granted }) => by !== first.by && granted > killed.at);
  if (rival && rival.granted < (released?.at ?? Number.POSITIVE_INFINITY)) {
    const evidence = `${rival.id} was given the lock ${span(rival.granted - killed.at)} after the server died, before ${first.id} gave it back.`;
    return { verdict: 'unsafe', evidence: [evidence], figures: { lockKept: false } };
  }
  const answers = entries.filter(
    (entry): entry is Acquire =>
      entry.f === 'acquire' && entry.by !== first.by && entry.type !== 'invoke' && entry.at > killed.at,
  );
  const last = answers.at(-1);
  if (last?.type !== 'fail') {
    return { verdict: 'unknown', evidence: ['The rival was not told whether it can have the lock.'] };
  }
  const anew = lostBy(entries);
  if (anew !== undefined) {
    const evidence = `After the fault ${anew} had no key of the lock, and the rival was refused all the same: somebody has written it anew.`;
    return { verdict: 'unknown', evidence: [evidence] };
  }
  const refusals = answers.filter(({ type }) => type === 'fail').length;
  const evidence = `The lock was kept: the rival was refused ${count(refusals, 'time')} after the server died, the last time ${span(last.at - killed.at)} after.`;
  return { verdict: 'safe', evidence: [evidence], figures: { lockKept: true } };
}

/** The server that the lab had asked for its keys, and that had none of the lock. */
function lostBy(entries: readonly Entry[]): string | undefined {
  for (const entry of entries) {
    if (entry.f === 'server' && SAYS_LOST.test(entry.says ?? '')) return entry.by;
    if (entry.f === 'fault' && entry.type === 'ok' && SAYS_LOST.test(entry.proof)) return entry.target;
  }
  return undefined;
}
