/**
 * Finds a subject by its name or in a user's file, and holds what it gives against the contract, so that a mistake in an
 * adapter is named and not taken for a property of the lock.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Subject, SubjectHold, SubjectSession } from '../subject.ts';
import { builtInSubject } from './built-in.ts';

/** The subject does not keep to the contract. The message says what is missing, and in which part. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

/** Names stand in tables and in the names of folders. */
const NAME = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,40}$/u;

/** What the lab can start for a subject. */
const SERVERS: readonly string[] = [
  'redis',
  'redlock',
  'etcd',
  'zookeeper',
  'postgres',
  'mysql',
  'none',
] satisfies Subject['server'][];

/** Rejects with a ContractError if there is no such subject, or if it has not the shape of one. */
export async function loadSubject(nameOrFile: string): Promise<Subject> {
  const builtIn = builtInSubject(nameOrFile);
  if (builtIn) return await builtIn.load();
  return checkSubject(await importFile(nameOrFile), nameOrFile);
}

async function importFile(file: string): Promise<unknown> {
  const absolute = path.resolve(file);
  if (!existsSync(absolute)) throw new ContractError(`There is no file ${absolute}.`);
  try {
    const module: { default?: unknown } = await import(pathToFileURL(absolute).href);
    return module.default;
  } catch (error) {
    throw new ContractError(`${file} could not be loaded: ${messageOf(error)}`, { cause: error });
  }
}

function checkSubject(value: unknown, file: string): Subject {
  const missing: string[] = [];
  if (!isObject(value)) {
    throw new ContractError(`${file} has no default export that is an object: export default { name, open }.`);
  }
  if (typeof value.name !== 'string' || !NAME.test(value.name))
    missing.push('name, a text of 1 to 40 printable characters');
  if (typeof value.open !== 'function') missing.push('open({ url }), a function');
  if (value.server !== undefined && !SERVERS.includes(value.server as string)) {
    missing.push(`server, which may be left out, or one of ${SERVERS.join(', ')}`);
  }
  if (missing.length > 0) throw new ContractError(`The default export of ${file} lacks ${missing.join('; and ')}.`);
  return value as unknown as Subject;
}

export function checkSession(value: unknown): SubjectSession {
  return checkMembers<SubjectSession>(value, 'open() must give an object', ['acquire', 'close']);
}

export function checkHold(value: unknown): SubjectHold | null {
  if (value === null) return null;
  const hold = checkMembers<SubjectHold>(value, 'acquire() must give null or an object', ['believes', 'release']);
  if (hold.fencingToken !== undefined) checkToken(hold.fencingToken);
  return hold;
}

/** What `believes()` said, if it is an answer. */
export function checkBelief(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const kind = value instanceof Promise ? 'a promise, which is always truthy' : describe(value);
  throw new ContractError(`believes() must answer true or false at once; it gave ${kind}.`);
}

function checkToken(token: unknown): void {
  if (typeof token === 'string' && /^(0|[1-9]\d*)$/.test(token)) return;
  throw new ContractError(
    `fencingToken must be a decimal string such as '42', or be absent; it was ${describe(token)}.`,
  );
}

function checkMembers<T>(value: unknown, what: string, functions: readonly (keyof T & string)[]): T {
  const missing = functions.filter((name) => !isObject(value) || typeof value[name] !== 'function');
  if (missing.length === 0) return value as T;
  const wanted = `${what} with ${functions.map((name) => `${name}()`).join(' and ')}`;
  throw new ContractError(
    isObject(value)
      ? `${wanted}; ${missing.map((name) => `${name}()`).join(' and ')} is missing.`
      : `${wanted}; it gave ${describe(value)}.`,
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** Longer messages are cut: a line of the history is written in one piece. */
const LONGEST_MESSAGE = 1_000;

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
}
