import { describe, expect, it } from 'vitest';
import type { Mark } from '../../lane.ts';
import { firstFrom, marksIn, moved, showing, ticksIn, zoomed } from './layout.ts';

const whole = { from: 0, to: 1_000 };

describe('the window of the lanes', () => {
  it('keeps the point that it is zoomed around where it is', () => {
    const near = zoomed(whole, whole, 0.5, 250);
    expect(near).toEqual({ from: 125, to: 625 });
    expect((250 - near.from) / (near.to - near.from)).toBeCloseTo(0.25);
  });

  it('never shows what is outside, nor less than was measured', () => {
    expect(zoomed({ from: 0, to: 500 }, whole, 8, 400)).toEqual(whole);
    expect(moved({ from: 100, to: 300 }, whole, -500)).toEqual({ from: 0, to: 200 });
    expect(moved({ from: 100, to: 300 }, whole, 5_000)).toEqual({ from: 800, to: 1_000 });
    const closest = zoomed({ from: 10, to: 12 }, whole, 0.1, 11);
    expect(closest.to - closest.from).toBe(2);
  });

  it('moves to an event only as far as it must', () => {
    expect(showing({ from: 0, to: 400 }, whole, 200)).toEqual({ from: 0, to: 400 });
    expect(showing({ from: 0, to: 400 }, whole, 500)).toEqual({ from: 200, to: 600 });
  });
});

describe('the marks that are drawn', () => {
  const many: Mark[] = Array.from({ length: 10_000 }, (_, index) => ['write', index / 10, 'A']);

  it('are no more than there are pixels, of ten thousand', () => {
    expect(marksIn(many, whole, 500).length).toBeLessThanOrEqual(500 + 2);
    expect(marksIn(many, { from: 100, to: 101 }, 500).length).toBeGreaterThanOrEqual(10);
  });

  it('always have the damage among them, and on top', () => {
    const marks = many.with(5_000, ['stale', 500, 'A']);
    expect(marksIn(marks, whole, 100).at(-1)).toEqual(['stale', 500, 'A']);
  });

  it('begin at the first one in the window', () => {
    expect(firstFrom(many, 500)).toBe(5_000);
    expect(firstFrom(many, 5_000)).toBe(10_000);
  });
});

it('the times of the axis are round, and apart', () => {
  expect(ticksIn({ from: -130, to: 2_400 }, 900, 90)).toEqual([0, 500, 1_000, 1_500, 2_000]);
});
