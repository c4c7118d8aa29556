import { describe, expect, it } from 'vitest';
import { JuteReader, JuteWriter } from './jute.ts';

describe('jute', () => {
  it('reads what it has written, 64-bit numbers to the last digit', () => {
    const writer = new JuteWriter();
    writer
      .int(-101)
      .long(2n ** 53n + 1n)
      .long(-1n)
      .bool(true)
      .string('é🔒')
      .buffer(Buffer.from([0, 255]));
    writer.vector(['a', ''], (each, item) => each.string(item));
    const frame = writer.frame();
    expect(frame.readInt32BE(0)).toBe(frame.length - 4);
    const reader = new JuteReader(frame.subarray(4));
    expect([reader.int(), reader.long(), reader.long(), reader.bool(), reader.string()]).toEqual([
      -101,
      2n ** 53n + 1n,
      -1n,
      true,
      'é🔒',
    ]);
    expect(reader.buffer()).toEqual(Buffer.from([0, 255]));
    expect(reader.vector((each) => each.string())).toEqual(['a', '']);
    expect(() => reader.int()).toThrow(RangeError);
  });

  it('grows with what is written', () => {
    const text = 'x'.repeat(10_000);
    expect(new JuteReader(new JuteWriter().string(text).frame().subarray(4)).string()).toBe(text);
  });

  it('reads a missing buffer as an empty one, and refuses one that is longer than its frame', () => {
    expect(new JuteReader(new JuteWriter().int(-1).frame().subarray(4)).buffer()).toHaveLength(0);
    expect(() => new JuteReader(new JuteWriter().int(9).frame().subarray(4)).string()).toThrow(/ends outside/);
  });
});
