/**
 * The part of the protobuf encoding that etcd's messages need: varints, byte strings and messages within messages.
 * 64-bit numbers are `bigint`, since revisions and lease ids go beyond 2^53.
 *
 * @module
 */

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

/** Writes one message, field by field. A field of `undefined` is left out, which means its default. */
export class Writer {
  #bytes: Buffer = Buffer.allocUnsafe(256);
  #length = 0;

  bytes(field: number, value: Uint8Array | string | undefined): this {
    if (value === undefined) return this;
    this.#tag(field, LENGTH_DELIMITED);
    const length = typeof value === 'string' ? Buffer.byteLength(value) : value.length;
    this.#small(length);
    this.#reserve(length);
    if (typeof value === 'string') this.#bytes.write(value, this.#length);
    else this.#bytes.set(value, this.#length);
    this.#length += length;
    return this;
  }

  /** A number from 0 to 2^32, or a flag. */
  number(field: number, value: number | boolean | undefined): this {
    if (value === undefined) return this;
    this.#tag(field, VARINT);
    this.#small(Number(value));
    return this;
  }

  int64(field: number, value: bigint | undefined): this {
    if (value === undefined) return this;
    this.#tag(field, VARINT);
    this.#reserve(10);
    let rest = BigInt.asUintN(64, value);
    while (rest > 0x7fn) {
      this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#bytes[this.#length++] = Number(rest);
    return this;
  }

  message(field: number, value: Writer | undefined): this {
    return this.bytes(field, value?.finish());
  }

  messages(field: number, values: readonly Writer[] | undefined): this {
    for (const value of values ?? []) this.message(field, value);
    return this;
  }

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #tag(field: number, type: number): void {
    this.#small(field * 8 + type);
  }

  #small(value: number): void {
    this.#reserve(5);
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  #reserve(length: number): void {
    if (this.#length + length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

/** One field of a message that is read. */
export interface Field {
  readonly number: number;
  /** Its value, if it is a varint. */
  readonly int: bigint;
  /** Its value, if it is a string, bytes or a message: a view of the bytes that were received. */
  readonly bytes: Buffer;
}

const EMPTY = Buffer.alloc(0);

/** The fields of a message in the order in which they came. Throws a RangeError if the bytes are no message. */
export function* fieldsOf(message: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let low = 0;
    let shift = 0;
    for (;;) {
      const byte = message[at++];
      if (byte === undefined) throw new RangeError('A message of etcd ends in the middle of a number.');
      // The first four bytes fit into a small integer, and most numbers need no more.
      if (shift < 28) {
        low |= (byte & 0x7f) << shift;
        shift += 7;
        if (byte < 0x80) return BigInt(low);
        continue;
      }
      let value = BigInt(low) | (BigInt(byte & 0x7f) << BigInt(shift));
      for (let last = byte; last >= 0x80; ) {
        shift += 7;
        const next = message[at++];
        if (next === undefined || shift > 63) throw new RangeError('A number in a message of etcd has no end.');
        value |= BigInt(next & 0x7f) << BigInt(shift);
        last = next;
      }
      return BigInt.asUintN(64, value);
    }
  };
  const take = (length: number): Buffer => {
    const end = at + length;
    if (end > message.length) throw new RangeError('A message of etcd is shorter than it says.');
    const bytes = message.subarray(at, end);
    at = end;
    return bytes;
  };
  while (at < message.length) {
    const tag = Number(varint());
    const number = tag >>> 3;
    switch (tag & 7) {
      case VARINT:
        yield { number, int: varint(), bytes: EMPTY };
        break;
      case LENGTH_DELIMITED:
        yield { number, int: 0n, bytes: take(Number(varint())) };
        break;
      case FIXED_64:
        take(8);
        break;
      case FIXED_32:
        take(4);
        break;
      default:
        throw new RangeError(`A message of etcd has a field of the unknown type ${tag & 7}.`);
    }
  }
}

/** A signed number, as all of etcd's revisions, lease ids and TTLs are. */
export function signed(field: Field): bigint {
  return BigInt.asIntN(64, field.int);
}
