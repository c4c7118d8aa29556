import { BackendUnavailableError, LeaseLostError, LockBusyError, LockError } from 'holdfast';
import { describe, expect, it } from 'vitest';
import { AddressError } from '../connect/address.ts';
import { asUsage, toFailure } from './failure.ts';
import { UsageError } from './usage.ts';

describe('an error', () => {
  it('of the library has the exit code of its own code, and its own words', () => {
    expect(toFailure(new LockBusyError('x', 0))).toMatchObject({
      exit: 'busy',
      message: expect.stringContaining('"x"'),
    });
    expect(toFailure(new LeaseLostError('x', 'expired', ''))).toMatchObject({ exit: 'lost' });
    expect(toFailure(new BackendUnavailableError('away'))).toEqual({ exit: 'unavailable', message: 'away' });
    expect(toFailure(new LockError('ACCESS_DENIED', 'no'))).toEqual({ exit: 'denied', message: 'no' });
  });

  it('in what was typed is a matter of usage', () => {
    for (const error of [new UsageError('wrong'), new AddressError('wrong')]) {
      expect(toFailure(error)).toEqual({ exit: 'usage', message: 'wrong' });
    }
    expect(() => asUsage(() => BigInt('x'))).toThrow(SyntaxError);
    const tooLong = (): never => {
      throw new RangeError('too long');
    };
    expect(() => asUsage(tooLong)).toThrow(UsageError);
  });

  it('that nobody has thought of is ours', () => {
    expect(toFailure(new TypeError('undefined is not a function')).exit).toBe('internal');
    expect(toFailure('a string')).toMatchObject({ exit: 'internal', message: expect.stringContaining('a string') });
  });
});
