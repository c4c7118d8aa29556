/**
 * Fencing tokens: a number that grows with every grant of one lock, so that a resource can refuse the smaller ones.
 * A `bigint` in code; a decimal string in JSON, environments and headers, since a JavaScript number ends at 2^53.
 *
 * @module
 */

/** The largest token that every backend and every guard can store: a signed 64-bit number. */
const LARGEST_TOKEN = 2n ** 63n - 1n;

/** Reads a token from its decimal form; anything else is a RangeError, never a rounded number. */
export function parseToken(text: string): bigint {
  if (!/^(0|[1-9][0-9]{0,18})$/.test(text) || BigInt(text) > LARGEST_TOKEN) {
    throw new RangeError(
      `A fencing token is a decimal number from 0 to ${LARGEST_TOKEN}, not ${JSON.stringify(text)}.`,
    );
  }
  return BigInt(text);
}
