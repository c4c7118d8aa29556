import { describe, expect, it } from 'vitest';
import { checkKeyPrefix, hashTag, lockKey, lockKeyOfQueue, scanPatterns } from './layout.ts';

describe('the key of a lock', () => {
  it('is the prefix and the name', () => {
    expect(lockKey('holdfast:', 'order:1')).toBe('holdfast:order:1');
    expect(lockKey('', 'order:1')).toBe('order:1');
  });

  it('never begins like one of our own keys', () => {
    expect(() => lockKey('', 'holdfast.queue:{x}')).toThrow(/begin with "holdfast\."/);
    expect(() => lockKey('hold', 'fast.token:{x}')).toThrow(/our own/);
    expect(() => checkKeyPrefix('holdfast.')).toThrow(RangeError);
    expect(lockKey('holdfast:', 'holdfast.queue:{x}')).toBe('holdfast:holdfast.queue:{x}');
  });
});

describe('the key of a queue', () => {
  // What names.lua makes of a key; that it does is tested against the server in foreign.contract.test.ts.
  it.each([
    ['holdfast.queue:{holdfast:order:1}', 'holdfast:order:1'],
    ['holdfast.queue.holdfast:{cart}:1', 'holdfast:{cart}:1'],
    ['holdfast.queue:{a{b}', 'a{b'],
    ['holdfast.queue:{a{}b}', 'a{}b'],
  ])('%s belongs to the lock %s', (queue, key) => {
    expect(lockKeyOfQueue(queue)).toBe(key);
  });

  it('is told from other keys', () => {
    expect(lockKeyOfQueue('holdfast.token:{x}')).toBeUndefined();
    expect(lockKeyOfQueue('order:1')).toBeUndefined();
  });
});

describe('what decides the slot', () => {
  it.each([
    ['order:1', 'order:1'],
    ['{cart}:1', 'cart'],
    ['a{cart}b{x}', 'cart'],
    ['a{}b', 'a{}b'],
    ['a{b', 'a{b'],
    ['a}b{c}', 'c'],
  ])('of %s is %s', (key, tag) => {
    expect(hashTag(key)).toBe(tag);
  });
});

it('a prefix is matched as it is, whatever it looks like', () => {
  expect(scanPatterns('a[1]*?^').locks).toBe('a\\[1\\]\\*\\?\\^*');
});
