/**
 * From what was written, in options or in a JSON file, to inputs. What cannot be an answer is refused, with what could.
 *
 * @module
 */
import { type Input, QUESTIONS, type Question, type Told } from './situation.ts';

/** An input that is none of the possible ones. The message names it and says which are possible. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** The inputs in a parsed JSON document: `{ "protects": "data", "servers": ["etcd"], "holdMs": 20 }`. */
export function toldFromJson(document: unknown): Told {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new InputError('The input must be a JSON object, such as {"protects": "data", "peakPerSecond": 5000}.');
  }
  const told: { -readonly [I in Input]?: unknown } = {};
  for (const [key, value] of Object.entries(document)) {
    const question = QUESTIONS.find(({ input }) => input === key);
    if (question === undefined) {
      const known = QUESTIONS.map(({ input }) => input).join(', ');
      throw new InputError(`There is no input ${JSON.stringify(key)}; there are ${known}.`);
    }
    told[question.input] = checked(question, value, JSON.stringify(key));
  }
  return told as Told;
}

/** One input as a value, or an `InputError` that calls it `called`. */
export function checked(question: Question, value: unknown, called: string): unknown {
  switch (question.kind) {
    case 'choice':
      return oneOf(question.options, value, called);
    case 'list':
      if (!Array.isArray(value))
        throw new InputError(`${called} must be a list, such as ["etcd"], and is ${shown(value)}.`);
      return [...new Set(value.map((item) => oneOf(question.options, item, called)))];
    default:
      if (typeof value !== 'number' || !Number.isFinite(value) || value < question.least) {
        const unit = question.kind === 'rate' ? 'a rate per second' : 'a number of milliseconds';
        throw new InputError(`${called} must be ${unit}, of at least ${question.least}, and is ${shown(value)}.`);
      }
      return value;
  }
}

function oneOf(options: readonly { readonly value: string }[], value: unknown, called: string): string {
  const found = options.find((option) => option.value === value);
  if (found !== undefined) return found.value;
  throw new InputError(
    `${called} is one of ${options.map((option) => option.value).join(', ')}, and not ${shown(value)}.`,
  );
}

/** A rate as people write it: `500`, `5k`, `0.01`. */
export function parseRate(called: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(k?)(?:\/s)?$/.exec(text);
  if (match === null)
    throw new InputError(`${called} must be a rate per second, such as 500 or 5k, and is ${shown(text)}.`);
  return Number(match[1]) * (match[2] === 'k' ? 1_000 : 1);
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
