import { describe, expect, it } from 'vitest';
import type { HoldId } from '../history.ts';
import { handOver } from './hand-over.ts';
import { fault, granted, history, released, type Said } from './hand-written.testing.ts';

const { check } = handOver;

describe('the hand-over', () => {
  it('is counted from the sending of the release to the grant of the one who waited', () => {
    const found = check(history(granted('A1', 0), released('A1', 100), granted('B1', 112, { asked: 50 })));
    expect(found).toMatchObject({ verdict: 'safe', figures: { handOverMs: 12 } });
  });

  it('is not one when the next asked only after the release', () => {
    expect(check(history(granted('A1', 0), released('A1', 100), granted('B1', 130, { asked: 110 }))).verdict).toBe(
      'unknown',
    );
  });

  it('is not one when the holder was killed', () => {
    const killed = history(granted('A1', 0), fault('kill', 'A', 100), granted('B1', 3_100, { asked: 50 }));
    expect(check(killed).verdict).toBe('unknown');
  });

  it('has failed when the one who waited was refused after the release', () => {
    const found = check(history(granted('A1', 0), waitsInVain('B', 50, 5_050), released('A1', 100)));
    expect(found.verdict).toBe('unsafe');
    expect(found.evidence[0]).toMatch(/^B waited .* within 4\.95 s after A1 was given back\.$/);
  });

  it('has not failed when somebody was refused before the release', () => {
    const found = check(
      history(granted('A1', 0), waitsInVain('B', 20, 40), released('A1', 100), granted('B1', 112, { asked: 50 })),
    );
    expect(found.verdict).toBe('safe');
  });

  it('has not failed when the one who waited gave up before its time, whenever that was', () => {
    for (const to of [90, 102]) {
      const found = check(history(granted('A1', 0), waitsInVain('B', 50, to, 5_000), released('A1', 100)));
      expect(found.verdict).toBe('unknown');
      expect(found.evidence).toEqual([`B was refused after ${to - 50} ms, and was to wait for 5.00 s.`]);
    }
  });

  it('is undecided when the release came so late that the time of the one who waited was nearly over', () => {
    const found = check(history(granted('A1', 0), waitsInVain('B', 50, 5_050), released('A1', 5_000)));
    expect(found.verdict).toBe('unknown');
    expect(found.evidence).toEqual(['B was refused 50 ms after A1 was given back, which is too soon to tell.']);
  });

  it('is not shown by a release that rejects, even if the lock came free', () => {
    const found = check(history(granted('A1', 0), rejected('A1', 100), granted('B1', 112, { asked: 50 })));
    expect(found.verdict).toBe('unknown');
    expect(found.evidence[0]).toContain('business error');
  });

  it('says why the release rejected, where the lock did not come free', () => {
    const found = check(history(granted('A1', 0), waitsInVain('B', 50, 5_050), rejected('A1', 100)));
    expect(found.verdict).toBe('unsafe');
    expect(found.evidence.at(-1)).toContain('business error');
  });

  it('does not mind a release that rejects after a fault', () => {
    const good = [granted('A1', 0), released('A1', 100), granted('B1', 112, { asked: 50 })].flat();
    expect(check(history(good, fault('kill', 'A', 200), rejected('B1', 300))).verdict).toBe('safe');
  });
});

function waitsInVain(by: string, from: number, to: number, waitMs: number = to - from): Said[] {
  return [
    [from, by, { f: 'acquire', type: 'invoke', op: 900 + from, name: 'x', ttlMs: 10_000, waitMs }],
    [to, by, { f: 'acquire', type: 'fail', op: 900 + from }],
  ];
}

function rejected(hold: HoldId, at: number): Said[] {
  const by = hold.slice(0, 1);
  return [
    [at, by, { f: 'release', type: 'invoke', op: 900 + at, hold }],
    [at + 1, by, { f: 'release', type: 'info', op: 900 + at, hold, error: 'business error before DEL' }],
  ];
}
