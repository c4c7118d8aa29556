/**
 * What all guards check of what they are handed, and what they answer when the source of a resource's tokens is
 * another one than theirs.
 *
 * @module
 */
import { LockError, quote } from '../core/errors.ts';
import { checkToken, parseToken, StaleTokenError } from '../core/fencing.ts';
import { checkKeys } from '../core/options.ts';

/** Long enough for a URL, short enough for the key of a table. */
const LONGEST_BYTES = 512;

export interface GuardOptions {
  /**
   * Where the tokens come from: `backend.tokenSource`. It is stored with each resource, since tokens of different
   * sources do not compare; another one is refused until `changeSource` says what holds from then on.
   */
  readonly source: string;
}

export interface GuardTableOptions extends GuardOptions {
  /** The table of the floors. Default `holdfast_fence`. */
  readonly table?: string;
}

/** The checked source of a guard. */
export function checkSource(what: string, options: GuardOptions, known: readonly string[] = ['source']): string {
  checkKeys(`The options of ${what}`, options, known);
  return checkText('source', options.source);
}

/** A table name that needs no quotes, with its schema or without. */
export function checkTable(table: unknown = 'holdfast_fence'): string {
  if (typeof table !== 'string' || !/^([A-Za-z_]\w{0,62}\.)?[A-Za-z_]\w{0,62}$/.test(table)) {
    throw new RangeError(`table must be a plain name, with its schema or without, and is ${JSON.stringify(table)}.`);
  }
  return table;
}

/** The decimal form in which a token travels: no driver and no JSON rounds it. */
export function checkAccess(resource: unknown, token: unknown): { readonly resource: string; readonly text: string } {
  return { resource: checkText('resource', resource), text: String(checkToken(token)) };
}

export function checkText(option: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || !value.isWellFormed() || value.includes('\0')) {
    throw new TypeError(`${option} must be well-formed text without NUL, and not empty.`);
  }
  if (Buffer.byteLength(value) > LONGEST_BYTES) throw new RangeError(`${option} has at most ${LONGEST_BYTES} bytes.`);
  return value;
}

/** What a guard has stored for a resource. */
export interface Floor {
  readonly source: string;
  readonly token: bigint;
}

/**
 * The floor in a row of (source, token), both read as text. By their places: a driver may have been told to give rows
 * as lists, or to spell the names of columns in another way.
 */
export function readFloor(row: object): Floor {
  const [source, token] = (Array.isArray(row) ? row : Object.values(row)).map(String);
  return { source: source as string, token: parseToken(token as string) };
}

/** A guard that is not in the transaction of the work protects nothing: a rival may come between it and the first read. */
export function noTransaction(): TypeError {
  return new TypeError(
    'A guard works inside the transaction that does the work, and none is open on this connection: BEGIN first.',
  );
}

/** The driver's error, or in its place what helps where the table is missing. */
export function explain(error: unknown, table: string): unknown {
  const { code, errno, message } = error as { code?: unknown; errno?: unknown; message?: unknown };
  const isMissing = code === '42P01' || errno === 1146 || /^no such table: /.test(String(message));
  if (!isMissing) return error;
  return new LockError(
    'CONFIG',
    `The table ${table} of the guard is not there: put the guard's \`ddl\` into your migrations, or run \`holdfast migrate --guard\`.`,
    { cause: error },
  );
}

/** Why a guard that has stored this floor refuses a token. */
export function refusal(resource: string, token: bigint, source: string, floor: Floor | undefined): LockError {
  if (floor !== undefined && floor.source === source) return new StaleTokenError(resource, token, floor.token);
  if (floor === undefined) {
    return new LockError('CONFIG', `The guard has neither stored the token for ${quote(resource)} nor said why.`);
  }
  return new LockError(
    'CONFIG',
    `The tokens of ${quote(resource)} come from ${quote(floor.source)}, up to ${floor.token}; this guard was made for ` +
      `${quote(source)}, whose numbers mean something else. If the locks have moved there for good, changeSource says so.`,
  );
}
