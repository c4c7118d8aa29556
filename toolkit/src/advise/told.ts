/**
 * From what was written, in options or in a JSON file, to inputs. What cannot be an answer is refused, with what could.
 *
 * @module
 */
import { parseDuration } from '../cli/durations.ts';
import { inEnglish, type Say } from '../messages/say.ts';
import { type Input, QUESTIONS, type Question, type Told } from './situation.ts';

/** An input that is none of the possible ones. The message names it and says which are possible. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** The inputs in a parsed JSON document: `{ "protects": "data", "servers": ["etcd"], "holdMs": 20 }`. */
export function toldFromJson(document: unknown, say: Say = inEnglish): Told {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new InputError(
      say('The input must be a JSON object, such as {example}.', {
        example: '{"protects": "data", "peakPerSecond": 5000}',
      }),
    );
  }
  const told: { -readonly [I in Input]?: unknown } = {};
  for (const [key, value] of Object.entries(document)) {
    const question = QUESTIONS.find(({ input }) => input === key);
    if (question === undefined) {
      const known = QUESTIONS.map(({ input }) => input).join(', ');
      throw new InputError(say('There is no input {key}; there are {known}.', { key: JSON.stringify(key), known }));
    }
    told[question.input] = checked(question, value, JSON.stringify(key), say);
  }
  return told as Told;
}

/** One input as a value, or an `InputError` that calls it `called`. */
export function checked(question: Question, value: unknown, called: string, say: Say = inEnglish): unknown {
  switch (question.kind) {
    case 'choice':
      return oneOf(question.options, value, called, say);
    case 'list':
      if (!Array.isArray(value))
        throw new InputError(
          say('{called} must be a list, such as ["etcd"], and is {value}.', { called, value: shown(value) }),
        );
      return [...new Set(value.map((item) => oneOf(question.options, item, called, say)))];
    default:
      if (typeof value !== 'number' || !Number.isFinite(value) || value < question.least) {
        const complaint =
          question.kind === 'rate'
            ? '{called} must be a rate per second, of at least {least}, and is {value}.'
            : '{called} must be a number of milliseconds, of at least {least}, and is {value}.';
        throw new InputError(say(complaint, { called, least: question.least, value: shown(value) }));
      }
      return value;
  }
}

function oneOf(options: readonly { readonly value: string }[], value: unknown, called: string, say: Say): string {
  const found = options.find((option) => option.value === value);
  if (found !== undefined) return found.value;
  const possible = options.map((option) => option.value).join(', ');
  throw new InputError(
    say('{called} is one of {possible}, and not {value}.', { called, possible, value: shown(value) }),
  );
}

/** A rate as people write it: `500`, `5k`, `0.01`. */
export function parseRate(called: string, text: string, say: Say = inEnglish): number {
  const match = /^(\d+(?:\.\d+)?)(k?)(?:\/s)?$/.exec(text);
  if (match === null)
    throw new InputError(
      say('{called} must be a rate per second, such as 500 or 5k, and is {value}.', { called, value: shown(text) }),
    );
  return Number(match[1]) * (match[2] === 'k' ? 1_000 : 1);
}

/** A time as people write it, `500ms` or `1m30s`, in milliseconds. */
export function parseTime(called: string, text: string, say: Say = inEnglish): number {
  try {
    return parseDuration(called, text);
  } catch {
    const [one, other] = /^\d+$/.test(text) ? [`${text}s`, `${text}ms`] : ['500ms', '30s'];
    throw new InputError(
      say('{called} must have its unit, such as {one} or {other}, and is {value}.', {
        called,
        one,
        other,
        value: shown(text),
      }),
    );
  }
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
