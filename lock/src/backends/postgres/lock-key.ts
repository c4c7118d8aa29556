/**
 * How a name becomes the 64 bits of an advisory lock: the first eight bytes of a SHA-256 over a namespace and the name.
 *
 * Among 200,000 names the chance that two share a key is one in a billion; if they do, they exclude each other, which
 * is slow and not wrong. The namespace keeps away from the small numbers that programs use by hand.
 *
 * @module
 */
import { createHash } from 'node:crypto';

/** The key in decimal, signed, as PostgreSQL takes a bigint. */
export function advisoryKey(namespace: string, name: string): string {
  const digest = createHash('sha256').update(`holdfast\0${namespace}\0${name}`).digest();
  return digest.readBigInt64BE(0).toString();
}
