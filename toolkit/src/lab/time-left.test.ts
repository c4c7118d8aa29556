import { describe, expect, it } from 'vitest';
import { timeLeftMs } from './time-left.ts';

describe('the time left', () => {
  it('is that of the longest worker', () => {
    expect(timeLeftMs([3_000, 1_000], [], 2)).toBe(3_000);
  });

  it('gives the next task to the worker that is free first', () => {
    expect(timeLeftMs([3_000, 1_000], [1_000, 5_000], 2)).toBe(7_000);
  });

  it('counts workers that have nothing to do yet', () => {
    expect(timeLeftMs([], [2_000, 2_000, 2_000], 3)).toBe(2_000);
  });

  it('is not negative for a task that takes longer than it should', () => {
    expect(timeLeftMs([-5_000], [], 1)).toBe(0);
    expect(timeLeftMs([-5_000], [1_000], 1)).toBe(1_000);
  });

  it('is nothing when nothing is left', () => {
    expect(timeLeftMs([], [], 3)).toBe(0);
  });
});
