/**
 * Whether fencing tokens were unique and grew in the order of the grants. Only then is a guard worth anything.
 *
 * @module
 */
import type { History } from '../history.ts';
import type { Checker, Finding } from './checker.ts';
import { holdsOf, stamps } from './holds.ts';

export const fencingOrder: Checker = { id: 'fencing-order', check };

function check(history: History): Finding {
  const holds = holdsOf(history);
  const time = stamps(history);
  const withToken = holds.flatMap(({ token, ...hold }) => (token === undefined ? [] : [{ ...hold, token }]));
  if (holds.length > 0 && withToken.length === 0) {
    return { verdict: 'not-run', evidence: ['This lock gives no fencing token.'] };
  }

  const offences: string[] = [];
  for (const [index, one] of withToken.entries()) {
    for (const other of withToken.slice(index + 1)) {
      if (one.token === other.token) {
        offences.push(`${one.id} and ${other.id} got the same token, ${one.token}.`);
      } else if (one.granted < other.asked && one.token > other.token) {
        offences.push(
          `The token went back: ${one.id} got ${one.token} at ${time(one.granted)}, and ${other.id}, which asked after that, got ${other.token}.`,
        );
      }
    }
  }
  if (offences.length > 0) return { verdict: 'unsafe', evidence: offences, figures: { tokensInOrder: false } };
  if (withToken.length < holds.length) {
    return { verdict: 'unknown', evidence: [`Only ${withToken.length} of ${holds.length} grants carried a token.`] };
  }
  if (withToken.length < 2) {
    return { verdict: 'unknown', evidence: ['Fewer than two grants, so that tokens could not be compared.'] };
  }
  return {
    verdict: 'safe',
    evidence: [`Tokens grew: ${listed(withToken.map(({ id, token }) => `${id} ${token}`))}.`],
    figures: { tokensInOrder: true },
  };
}

/** The first ones and the last of a long list. */
function listed(texts: readonly string[]): string {
  return texts.length <= 6 ? texts.join(', ') : `${texts.slice(0, 3).join(', ')}, …, ${texts.at(-1)}`;
}
