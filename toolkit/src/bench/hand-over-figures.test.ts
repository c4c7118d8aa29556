import { describe, expect, it } from 'vitest';
import { handOverFigures, inOrder, overtaken, type SeenGrant } from './hand-over-figures.ts';

/** Grants one after the other: each held for 2 ms, the way to the next 1 ms. `who` is process and contender. */
function grantsOf(...who: readonly (readonly [process: number, contender: number])[]): SeenGrant[] {
  return who.map(([process, contender], at) => ({
    number: at + 1,
    process,
    contender,
    askedAtMs: 0 - who.length + at,
    grantedAtMs: at * 3,
    releasedAtMs: at * 3 + 2,
  }));
}

const ALWAYS = { fromMs: 0, toMs: 1e9 };

describe('what the grants of a round say', () => {
  it('counts from the start of a release to the next grant, across processes', () => {
    const figures = handOverFigures(grantsOf([0, 0], [1, 0], [0, 1], [1, 1]), ALWAYS, 'process');
    expect(figures).toMatchObject({ handOvers: 3, handOverMs: { p50: 1, p95: 1, max: 1 } });
    expect(figures.perSecond).toBeCloseTo(333.3, 1);
  });

  it('does not need the grants in order', () => {
    const shuffled = grantsOf([0, 0], [1, 0], [0, 1]).reverse();
    expect(handOverFigures(shuffled, ALWAYS, 'process').handOverMs.max).toBe(1);
  });

  it('leaves out what was not wholly within the window', () => {
    const grants = grantsOf([0, 0], [1, 0], [0, 1], [1, 1]);
    expect(handOverFigures(grants, { fromMs: 1, toMs: 10 }, 'process').handOvers).toBe(1);
  });

  it('finds no inversion where processes take turns', () => {
    const turns = grantsOf([0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1], [0, 0], [1, 0], [2, 0]);
    expect(handOverFigures(turns, ALWAYS, 'process').inversions).toEqual({ ofContenders: 0, ofCallersInOneProcess: 0 });
  });

  it('finds the process that was overtaken: another had two turns meanwhile', () => {
    const grants = grantsOf([0, 0], [1, 0], [0, 1], [0, 0], [1, 1], [0, 1]);
    expect(handOverFigures(grants, ALWAYS, 'process').inversions.ofContenders).toBe(1);
  });

  it('finds the caller that was overtaken inside one process', () => {
    const [first, second, third] = grantsOf([0, 0], [0, 1], [0, 2]) as [SeenGrant, SeenGrant, SeenGrant];
    const grants = [first, { ...second, askedAtMs: -1 }, { ...third, askedAtMs: -2 }];
    expect(handOverFigures(grants, ALWAYS, 'process').inversions.ofCallersInOneProcess).toBe(1);
    expect(handOverFigures(grants, ALWAYS, 'waiter').inversions.ofContenders).toBe(1);
  });

  it('says how often the lock went back to whom it came from', () => {
    const grants = grantsOf([0, 0], [0, 0], [0, 1], [1, 0], [0, 0]);
    expect(handOverFigures(grants, ALWAYS, 'process').takenAgain).toEqual({ byCaller: 0.25, byProcess: 0.5 });
  });

  it('refuses grants that overlap: what gives them is no lock', () => {
    const [first, second] = grantsOf([0, 0], [1, 0]) as [SeenGrant, SeenGrant];
    expect(() => inOrder([first, { ...second, grantedAtMs: 1 }])).toThrow('Two held the lock at once');
    expect(() => inOrder([first, { ...second, number: 1 }])).toThrow('grant 1 and grant 1');
  });

  it('counts each arrival once that came before one served earlier', () => {
    expect(overtaken([1, 2, 3])).toBe(0);
    expect(overtaken([3, 1, 2, 4])).toBe(2);
  });
});
