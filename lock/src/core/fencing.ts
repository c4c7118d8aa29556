/**
 * Fencing tokens: a number that grows with every grant of one lock, so that a resource can refuse the smaller ones.
 * A `bigint` in code; a decimal string in JSON, environments and headers, since a JavaScript number ends at 2^53.
 *
 * @module
 */

import { LockError, quote } from './errors.ts';

/** The largest token that every backend and every guard can store: a signed 64-bit number. */
const LARGEST_TOKEN = 2n ** 63n - 1n;

/**
 * Reads a token from its decimal form. Another text is a RangeError, and what is no text a TypeError: a number may have
 * been rounded before it came here.
 */
export function parseToken(text: string): bigint {
  if (typeof text !== 'string') {
    throw new TypeError(
      `A fencing token is read from text, and this is a ${typeof text}; String(lease.fencingToken) is what JSON carries.`,
    );
  }
  const token = /^(0|[1-9][0-9]{0,18})$/.test(text) ? BigInt(text) : LARGEST_TOKEN + 1n;
  if (token > LARGEST_TOKEN) {
    throw new RangeError(
      `A fencing token is a decimal number from 0 to ${LARGEST_TOKEN}, not ${JSON.stringify(text)}.`,
    );
  }
  return token;
}

/** A token as guards take it: a bigint in the range that every one of them can store. */
export function checkToken(token: unknown): bigint {
  if (typeof token !== 'bigint') {
    throw new TypeError(
      `A fencing token must be a bigint, as a lease has it, and is a ${typeof token}; parseToken reads its decimal form.`,
    );
  }
  if (token < 0n || token > LARGEST_TOKEN) {
    throw new RangeError(`A fencing token must be from 0 to ${LARGEST_TOKEN}, and is ${token}.`);
  }
  return token;
}

/**
 * The guard has seen a larger token for this resource: a later holder has been here. Whoever meets this has lost its
 * lock, so it rolls its transaction back and does not try again with the same token.
 */
export class StaleTokenError extends LockError {
  override readonly name = 'StaleTokenError';
  readonly resource: string;
  readonly token: bigint;
  /** The largest token that the guard has seen. */
  readonly floor: bigint;

  constructor(resource: string, token: bigint, floor: bigint) {
    super(
      'STALE_TOKEN',
      `The fencing token ${token} is stale: ${quote(resource)} has been accessed with ${floor}, so the lock has another ` +
        'holder since. Roll back, and acquire the lock anew.',
    );
    this.resource = resource;
    this.token = token;
    this.floor = floor;
  }

  /** For logs: JSON has no bigint, so the tokens are decimal strings. */
  toJSON(): object {
    const { name, code, message, resource, token, floor } = this;
    return { name, code, message, resource, token: String(token), floor: String(floor) };
  }
}
