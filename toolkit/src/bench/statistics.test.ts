import { describe, expect, it } from 'vitest';
import { quantile, ratios, spreadOf } from './statistics.ts';

describe('the numbers that stand for many', () => {
  it('is the middle value, however the values are ordered', () => {
    expect(spreadOf([9, 1, 5])).toEqual({ median: 5, min: 1, max: 9 });
    expect(spreadOf([9, 1])).toEqual({ median: 5, min: 1, max: 9 });
  });

  it('sorts by size and not as text', () => {
    expect(quantile([10, 9, 100], 1)).toBe(100);
  });

  it('is a value that was measured, at every quantile', () => {
    const values = Array.from({ length: 20 }, (_, index) => index);
    expect(quantile(values, 0.95)).toBe(19);
    expect(quantile(values, 0.5)).toBe(10);
    expect(quantile([7], 0.95)).toBe(7);
  });

  it('refuses to make a number of nothing', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError);
    expect(() => spreadOf([])).toThrow(RangeError);
  });

  it('compares round by round, so that a disturbed round counts once', () => {
    expect(ratios([10, 1, 10], [10, 1, 5])).toEqual({ median: 1, min: 1, max: 2 });
    expect(() => ratios([1], [1, 2])).toThrow('both halves');
  });
});
