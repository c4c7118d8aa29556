/**
 * Checks of what callers hand in, all made when the object is made, so that a typing error fails at once and not in
 * the first incident.
 *
 * @module
 */
import { quote } from './errors.ts';

/** The largest span of time that a timer can wait. */
export const LONGEST_MS: number = 2 ** 31 - 1;

/** The shortest TTL: below it, the time that a reply takes eats the lease. */
export const SHORTEST_TTL_MS = 50;

/** The longest name, in bytes of UTF-8. */
const LONGEST_NAME_BYTES = 512;

/** A span of milliseconds between two limits; anything else is a TypeError or a RangeError that names the option. */
export function checkMs(
  option: string,
  value: unknown,
  { min, max = LONGEST_MS }: { min: number; max?: number },
): number {
  if (typeof value !== 'number') {
    throw new TypeError(`${option} must be a number of milliseconds, and is ${describe(value)}.`);
  }
  if (!(value >= min && value <= max)) {
    throw new RangeError(`${option} must be from ${min} to ${max} ms, and is ${value}.`);
  }
  return value;
}

/**
 * The one rule for names, the same on all backends: a string of 1 to 512 bytes of UTF-8, without lone surrogates and
 * without NUL, which some servers cannot store. Equal strings are one lock, different strings are different locks.
 */
export function checkName(name: unknown): string {
  if (typeof name !== 'string') throw new TypeError(`The name of a lock must be a string, and is ${describe(name)}.`);
  if (name === '') throw new RangeError('The name of a lock must not be empty.');
  if (!name.isWellFormed()) {
    throw new RangeError(`The name of a lock must be well-formed Unicode; ${quote(name)} has a lone surrogate.`);
  }
  if (name.includes('\0')) throw new RangeError(`The name of a lock must not contain NUL; ${quote(name)} does.`);
  const bytes = Buffer.byteLength(name);
  if (bytes > LONGEST_NAME_BYTES) {
    throw new RangeError(
      `The name of a lock has at most ${LONGEST_NAME_BYTES} bytes of UTF-8; ${quote(name)} has ${bytes}. A hash of it would do.`,
    );
  }
  return name;
}

/** An optional text for people, such as a purpose; it is stored with the lock, so it is short. */
export function checkText(option: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw new TypeError(`${option} must be a string, and is ${describe(value)}.`);
  if (!value.isWellFormed() || value.includes('\0') || Buffer.byteLength(value) > LONGEST_NAME_BYTES) {
    throw new RangeError(`${option} must be well-formed text without NUL, of at most ${LONGEST_NAME_BYTES} bytes.`);
  }
  return value;
}

export function checkSignal(value: unknown): AbortSignal | undefined {
  if (value === undefined || value instanceof AbortSignal) return value;
  throw new TypeError(`signal must be an AbortSignal, and is ${describe(value)}.`);
}

export function checkBoolean(option: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new TypeError(`${option} must be true or false, and is ${describe(value)}.`);
}

/** Refuses options that do not exist, so that a misspelt one does not silently mean its default. */
export function checkKeys(what: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`${what} must be an object, and is ${describe(options)}.`);
  }
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) throw new TypeError(`${what} has no option ${quote(key)}; it has ${known.join(', ')}.`);
  }
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return quote(value);
  return typeof value === 'object' || typeof value === 'function' ? `a ${typeof value}` : String(value);
}
