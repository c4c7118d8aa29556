/**
 * Jute, the encoding of ZooKeeper's protocol: big-endian numbers, and strings, buffers and vectors with their length in
 * front. Session ids and zxids are 64-bit numbers, which JavaScript has only as `bigint`.
 *
 * @module
 */

/** Writes one frame: the length of the whole in front, filled in by `frame`. */
export class JuteWriter {
  #buffer: Buffer = Buffer.allocUnsafe(256);
  #length = 4;

  int(value: number): this {
    this.#reserve(4);
    this.#length = this.#buffer.writeInt32BE(value, this.#length);
    return this;
  }

  long(value: bigint): this {
    this.#reserve(8);
    this.#length = this.#buffer.writeBigInt64BE(value, this.#length);
    return this;
  }

  bool(value: boolean): this {
    this.#reserve(1);
    this.#length = this.#buffer.writeUInt8(value ? 1 : 0, this.#length);
    return this;
  }

  buffer(value: Uint8Array): this {
    this.int(value.length);
    this.#reserve(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  string(value: string): this {
    const bytes = Buffer.byteLength(value);
    this.int(bytes);
    this.#reserve(bytes);
    this.#length += this.#buffer.write(value, this.#length);
    return this;
  }

  vector<Item>(items: readonly Item[], write: (writer: this, item: Item) => void): this {
    this.int(items.length);
    for (const item of items) write(this, item);
    return this;
  }

  /** The finished frame. */
  frame(): Buffer {
    this.#buffer.writeInt32BE(this.#length - 4, 0);
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** Reads what `JuteWriter` writes. Reading past the end throws a RangeError. */
export class JuteReader {
  readonly #buffer: Buffer;
  #offset = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  get isAtEnd(): boolean {
    return this.#offset >= this.#buffer.length;
  }

  int(): number {
    this.#offset += 4;
    return this.#buffer.readInt32BE(this.#offset - 4);
  }

  long(): bigint {
    this.#offset += 8;
    return this.#buffer.readBigInt64BE(this.#offset - 8);
  }

  bool(): boolean {
    this.#offset += 1;
    return this.#buffer.readUInt8(this.#offset - 1) !== 0;
  }

  /** A copy, so that a small answer does not keep a large one alive. A missing buffer, which has the length -1, is empty. */
  buffer(): Buffer {
    return Buffer.from(this.#take());
  }

  string(): string {
    return this.#take().toString('utf8');
  }

  vector<Item>(read: (reader: this) => Item): Item[] {
    const length = this.int();
    const items: Item[] = [];
    for (let index = 0; index < length; index++) items.push(read(this));
    return items;
  }

  #take(): Buffer {
    const length = Math.max(0, this.int());
    const end = this.#offset + length;
    if (end > this.#buffer.length) throw new RangeError(`A field of ${length} bytes ends outside of its frame.`);
    const bytes = this.#buffer.subarray(this.#offset, end);
    this.#offset = end;
    return bytes;
  }
}
