/**
 * The options of `holdfast advise` as inputs.
 *
 * @module
 */
import { type Input, QUESTIONS, type Question, type Told } from '../advise/situation.ts';
import { checked, parseRate, parseTime } from '../advise/told.ts';
import type { Say } from '../messages/say.ts';

/** What was said by options, as commander gives them. Throws an `InputError` that names the option. */
export function toldFromOptions(options: Readonly<Record<string, unknown>>, say: Say): Told {
  const told: { -readonly [I in Input]?: unknown } = {};
  for (const question of QUESTIONS) {
    const text = options[camelCase(question.flag)];
    if (typeof text === 'string') told[question.input] = parse(question, `--${question.flag}`, text, say);
  }
  return told as Told;
}

function parse(question: Question, option: string, text: string, say: Say): unknown {
  switch (question.kind) {
    case 'choice':
      return checked(question, text, option, say);
    case 'list':
      return checked(question, text === 'none' || text === '' ? [] : text.split(','), option, say);
    case 'rate':
      return checked(question, parseRate(option, text, say), option, say);
    case 'duration':
      return checked(question, parseTime(option, text, say), option, say);
  }
}

/** `peak-on-one-name` is `peakOnOneName` to commander. */
function camelCase(flag: string): string {
  return flag.replace(/-(.)/g, (_match, letter: string) => letter.toUpperCase());
}
