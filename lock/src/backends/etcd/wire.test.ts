import { describe, expect, it } from 'vitest';
import { parseEndpoints } from './endpoints.ts';
import { isInLine, nameOfLock } from './keys.ts';
import { decode, encode } from './messages.ts';
import { fieldsOf, signed, Writer } from './wire.ts';

const key = (text: string) => ({ key: text, value: '', createRevision: 1n, lease: 0x694d7abn });

describe('the wire format of etcd', () => {
  it('keeps neighbours apart beyond what a JavaScript number can say', () => {
    for (const value of [0n, 1n, 127n, 128n, 2n ** 28n, 2n ** 32n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -1n]) {
      const [field] = [...fieldsOf(new Writer().int64(3, value).finish())];
      expect(field?.number).toBe(3);
      expect(field && signed(field)).toBe(value);
    }
  });

  it('writes the bytes that the format demands', () => {
    // key "ab", limit 300, sort order DESCEND, sort target CREATE
    const bytes = encode.range({ key: 'ab', limit: 300, byCreateRevision: 'descending' });
    expect(bytes.toString('hex')).toBe('0a026162' + '18ac02' + '2802' + '3002');
    expect(encode.lease(2n ** 62n).toString('hex')).toBe('08808080808080808040');
  });

  it('writes a comparison with 0, which protobuf would leave out', () => {
    const bytes = encode.transaction({ compare: [{ key: 'k', createRevision: 0n }], success: [], failure: [] });
    expect(bytes.toString('hex')).toBe('0a09' + '0800' + '1001' + '1a016b' + '2800');
  });

  it('passes over fields that it does not know', () => {
    const message = Buffer.concat([
      Buffer.from('4d00000000', 'hex'), // field 9, four bytes
      Buffer.from('510000000000000000', 'hex'), // field 10, eight bytes
      new Writer().int64(2, 7n).int64(3, 5n).bytes(99, 'later').finish(),
    ]);
    expect(decode.lease(message)).toEqual({ id: 7n, ttlS: 5 });
  });

  it('refuses bytes that end too early', () => {
    const whole = new Writer()
      .bytes(1, 'a longer text')
      .int64(2, 2n ** 60n)
      .finish();
    for (let length = 1; length < whole.length; length++) {
      if (length === 15) continue; // exactly the first field
      expect(() => [...fieldsOf(whole.subarray(0, length))], `${length} bytes`).toThrow(RangeError);
    }
  });
});

describe('the keys of a lock', () => {
  it('tells the contenders of a lock from those of a lock whose name goes on from it', () => {
    expect(isInLine('a', key('a/694d7ab-1'))).toBe(true);
    expect(isInLine('a', key('a/694d7ab'))).toBe(true); // of Go
    expect(isInLine('a', key('a/b/694d7ab-1'))).toBe(false);
    expect(isInLine('/', key('//694d7ab-1'))).toBe(true);
    expect(isInLine('/', key('///694d7ab-1'))).toBe(false);
  });

  it('finds the name of the lock in the key', () => {
    expect(nameOfLock(key('job/1/694d7ab-12'))).toBe('job/1');
    expect(nameOfLock(key('job/694d7ab'))).toBe('job');
    expect(nameOfLock(key('line\nbreak/694d7ab'))).toBe('line\nbreak');
    expect(nameOfLock(key('config/colour'))).toBeUndefined();
    expect(nameOfLock(key('config/beef'))).toBeUndefined(); // a number, and not that of its lease
    expect(nameOfLock({ ...key('job/694d7ab'), lease: 0n })).toBeUndefined();
  });
});

describe('endpoints', () => {
  it('are read as people write them', () => {
    expect(parseEndpoints(['10.0.0.1', 'etcd-2:2400', '[::1]:2379']).endpoints).toEqual([
      { host: '10.0.0.1', port: 2379 },
      { host: 'etcd-2', port: 2400 },
      { host: '::1', port: 2379 },
    ]);
    expect(parseEndpoints(['https://e1:2379/'])).toEqual({ endpoints: [{ host: 'e1', port: 2379 }], secure: true });
  });

  it('are refused where they are none, with a message that names them', () => {
    for (const wrong of ['', 'a:b', 'ftp://x', 'x:0', 'x:70000', 'user@x', 'x/y', 7]) {
      expect(() => parseEndpoints([wrong])).toThrow(TypeError);
    }
    expect(() => parseEndpoints([])).toThrow(/list of addresses/);
    expect(() => parseEndpoints('localhost:2379')).toThrow(/list of addresses/);
    expect(() => parseEndpoints(['http://a', 'https://b'])).toThrow(/mixes/);
  });
});
