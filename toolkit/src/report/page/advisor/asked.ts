/**
 * What the reader has told the advisor. It outlives a change of the language, and stands in the address, so that a decision
 * can be sent to somebody: `#advisor?protects=data&peak=5000`.
 *
 * @module
 */
import { sayAgain } from '../../../advise/advice-text.ts';
import { type Input, QUESTIONS, type Question, type Told } from '../../../advise/situation.ts';
import { checked, parseRate, parseTime } from '../../../advise/told.ts';
import { inEnglish, type Say } from '../../../messages/say.ts';

const ADVISOR = '#advisor';

/** The value of a text, as it is written in a field or in an address. Throws an `InputError`. */
export function answerIn(question: Question, text: string, say: Say): unknown {
  const called = say(question.called);
  switch (question.kind) {
    case 'rate':
      return checked(question, parseRate(called, text.replaceAll(',', ''), say), called, say);
    case 'duration':
      return checked(question, parseTime(called, text.replaceAll(' ', ''), say), called, say);
    case 'list':
      return checked(question, text === '' || text === 'none' ? [] : text.split(','), called, say);
    default:
      return checked(question, text, called, say);
  }
}

/** As options of the command: each without its dashes, and its value. */
function optionsOf(told: Told): readonly (readonly [string, string])[] {
  return sayAgain(told).map((option) => {
    const [flag = '', value = ''] = option.slice(2).split(' ');
    return [flag, value];
  });
}

export function hashOf(told: Told): string {
  const options = optionsOf(told).map(([flag, value]) => `${flag}=${value}`);
  return options.length === 0 ? ADVISOR : `${ADVISOR}?${options.join('&')}`;
}

/** What an address tells; undefined where it is about something else. What is no answer in it is left out. */
export function toldByHash(hash: string): Told | undefined {
  const [place, options = ''] = hash.split('?');
  if (place !== ADVISOR) return undefined;
  const told: { -readonly [I in Input]?: unknown } = {};
  for (const [flag, text] of new URLSearchParams(options)) {
    const question = QUESTIONS.find((one) => one.flag === flag);
    if (question === undefined) continue;
    try {
      told[question.input] = answerIn(question, text, inEnglish);
    } catch {
      // An address that was cut off, or is of another version.
    }
  }
  return told as Told;
}
