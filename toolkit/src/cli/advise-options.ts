/**
 * The options of `holdfast advise` as inputs.
 *
 * @module
 */
import { type Input, QUESTIONS, type Question, type Told } from '../advise/situation.ts';
import { checked, parseRate } from '../advise/told.ts';
import { parseDuration } from './durations.ts';

/** What was said by options, as commander gives them. Throws `InputError` or `UsageError`, which name the option. */
export function toldFromOptions(options: Readonly<Record<string, unknown>>): Told {
  const told: { -readonly [I in Input]?: unknown } = {};
  for (const question of QUESTIONS) {
    const text = options[camelCase(question.flag)];
    if (typeof text === 'string') told[question.input] = parse(question, `--${question.flag}`, text);
  }
  return told as Told;
}

function parse(question: Question, option: string, text: string): unknown {
  switch (question.kind) {
    case 'choice':
      return checked(question, text, option);
    case 'list':
      return checked(question, text === 'none' || text === '' ? [] : text.split(','), option);
    case 'rate':
      return checked(question, parseRate(option, text), option);
    case 'duration':
      return checked(question, parseDuration(option, text), option);
  }
}

/** `peak-on-one-name` is `peakOnOneName` to commander. */
function camelCase(flag: string): string {
  return flag.replace(/-(.)/g, (_match, letter: string) => letter.toUpperCase());
}
