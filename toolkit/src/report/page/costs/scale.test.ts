import { describe, expect, it } from 'vitest';
import { scaleOf } from './scale.ts';

describe('the axis of rates and times', () => {
  it('has every value inside, the smallest left of the largest', () => {
    for (const values of [[300, 300_000], [0.06, 4.2], [1, 1], [7], [0.5, 0, 2], []]) {
      const { percent, ticks } = scaleOf(values);
      for (const value of [...values.filter((one) => one > 0), ...ticks]) {
        expect(percent(value)).toBeGreaterThanOrEqual(0);
        expect(percent(value)).toBeLessThanOrEqual(100);
      }
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(7);
    }
  });

  it('gives the same length to the same ratio', () => {
    const { percent } = scaleOf([100, 100_000]);
    expect(percent(400) - percent(200)).toBeCloseTo(percent(80_000) - percent(40_000), 6);
  });
});
