import { describe, expect, it } from 'vitest';
import { Guard, Registers } from './registers.ts';

const update = (value: number, basedOn: number) => ({ open: { value, basedOn }, guarded: { value, basedOn } });

describe('the guard', () => {
  it('lets a holder come often', () => {
    const guard = new Guard();
    expect([guard.enter(5n), guard.enter(5n)]).toEqual([true, true]);
  });

  it('refuses a token smaller than one that has come before, and says how far it is', () => {
    const guard = new Guard();
    guard.enter(9n);
    expect(guard.enter(8n)).toBe(false);
    expect(guard.floor).toBe(9n);
  });

  it('compares tokens as numbers, beyond what a double can hold', () => {
    const guard = new Guard();
    guard.enter(9007199254740993n);
    expect(guard.enter(9007199254740992n)).toBe(false);
    expect(guard.enter(10n)).toBe(false);
  });
});

describe('the registers', () => {
  it('give what was written last, with a version that counts the writes', () => {
    const registers = new Registers();
    registers.write(1n, update(7, 0));
    expect(registers.read(1n)).toEqual({
      open: { accepted: true, version: 1, value: 7 },
      guarded: { accepted: true, version: 1, value: 7 },
    });
  });

  it('take a stale write where there is no guard, and refuse it where there is one', () => {
    const registers = new Registers();
    registers.read(1n);
    registers.read(2n);
    registers.write(2n, update(1, 0));
    expect(registers.write(1n, update(1, 0))).toEqual({
      open: { accepted: true, version: 2, value: 1 },
      guarded: { accepted: false, floor: '2' },
    });
    expect(registers.read(2n).guarded).toEqual({ accepted: true, version: 1, value: 1 });
  });

  it('raise the floor with a read, before the new holder has written anything', () => {
    const registers = new Registers();
    registers.read(1n);
    registers.read(2n);
    expect(registers.write(1n, update(1, 0)).guarded).toEqual({ accepted: false, floor: '2' });
  });

  it('refuse a stale read behind the guard, since a value read there could be written elsewhere', () => {
    const registers = new Registers();
    registers.read(2n);
    expect(registers.read(1n).guarded).toEqual({ accepted: false, floor: '2' });
  });

  it('keep a holder without a token away from the guarded register', () => {
    const registers = new Registers();
    expect(registers.write(undefined, update(3, 0)).guarded).toBeNull();
    expect(registers.read(1n).guarded).toEqual({ accepted: true, version: 0, value: 0 });
  });
});
