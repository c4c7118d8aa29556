import { expect, it } from 'vitest';
import { gapsBetween } from './turns.ts';

it('a gap is from the start of a release to the next grant, in the order of the grants', () => {
  const turns = [
    { grantedAtMs: 20, releasedAtMs: 21 },
    { grantedAtMs: 12, releasedAtMs: 15 },
  ];
  expect(gapsBetween(10, turns)).toEqual([2, 5]);
});

it('turns that overlap are refused: what gives them is no lock', () => {
  const turns = [
    { grantedAtMs: 12, releasedAtMs: 15 },
    { grantedAtMs: 14, releasedAtMs: 16 },
  ];
  expect(() => gapsBetween(10, turns)).toThrow('Two held the lock at once, for 1.000 ms.');
});
