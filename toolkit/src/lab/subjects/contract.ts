/**
 * Holds what a subject gives against the contract, so that a mistake in an adapter is named and not taken for a property
 * of the lock.
 *
 * @module
 */
import type { ServerKind } from '../servers/find-server.ts';
import type { Subject, SubjectHold, SubjectSession } from '../subject.ts';

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

/** The default export of a file, if it has the shape of a subject. */
export function checkSubject(value: unknown, file: string): Subject {
  if (!isObject(value)) {
    throw new ContractError(`${file} has no default export that is an object: export default { name, open }.`);
  }
  const missing = identityOf(value).lacks;
  if (typeof value.open !== 'function') missing.push('open({ url }), a function');
  if (missing.length > 0) throw new ContractError(`The default export of ${file} lacks ${missing.join('; and ')}.`);
  return value as unknown as Subject;
}

/** What a subject says of itself; it counts only where it `lacks` nothing. */
export function identityOf(value: Readonly<Record<string, unknown>>): {
  lacks: string[];
  name: string;
  server: ServerKind | 'none';
} {
  const { name, server = 'redis' } = value;
  const lacks: string[] = [];
  if (typeof name !== 'string' || !NAME.test(name)) lacks.push('name, a text of 1 to 40 printable characters');
  if (!SERVERS.includes(server as string)) {
    lacks.push(`server, which may be left out, or one of ${SERVERS.join(', ')}`);
  }
  return { lacks, name: String(name), server: server as ServerKind | 'none' };
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

export function checkToken(token: unknown): void {
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
