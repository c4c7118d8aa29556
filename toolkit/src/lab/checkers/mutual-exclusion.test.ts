import { describe, expect, it } from 'vitest';
import { believes, doubts, fault, granted, history, released } from './hand-written.testing.ts';
import { mutualExclusion } from './mutual-exclusion.ts';

const { check } = mutualExclusion;

describe('mutual exclusion of beliefs', () => {
  it('holds when one holder releases before the next is granted', () => {
    expect(
      check(history(granted('A1', 0), released('A1', 100), granted('B1', 101), released('B1', 200))),
    ).toMatchObject({
      verdict: 'safe',
      figures: { overlapMs: 0, falseBeliefMs: 0 },
    });
  });

  it('is broken when a second holder is granted while the first has not released', () => {
    const found = check(history(granted('A1', 0), granted('B1', 50), released('A1', 120), released('B1', 200)));
    expect(found).toMatchObject({ verdict: 'unsafe', figures: { overlapMs: 70, falseBeliefMs: 70 } });
    expect(found.evidence[0]).toContain('A1 and B1');
  });

  it('counts how often the lock was given away while one holder had it', () => {
    const given = (...times: number[]) =>
      times.flatMap((at, index) => [...granted(`B${index + 1}`, at), ...released(`B${index + 1}`, at + 20)]);
    const found = (...times: number[]) => check(history(granted('A1', 0), given(...times), released('A1', 500)));
    expect(found(100, 200, 300).figures).toMatchObject({ overlapMs: 60, grantsWhileHeld: 3 });
    expect(found(100).figures).not.toHaveProperty('grantsWhileHeld');
  });

  it('has a margin where the older holder said that it has lost the lock before the next was granted', () => {
    const found = check(history(granted('A1', 0), doubts('A1', 100, 90), granted('B1', 450), released('B1', 500)));
    expect(found).toMatchObject({ verdict: 'safe', figures: { marginMs: 350 } });
    expect(check(history(granted('A1', 0), released('A1', 100), granted('B1', 450))).figures?.marginMs).toBeUndefined();
  });

  it('is broken however short the overlap is', () => {
    const found = check(history(granted('A1', 0), granted('B1', 99), released('A1', 100), released('B1', 200)));
    expect(found.verdict).toBe('unsafe');
  });

  it('holds when a release is sent in the very instant in which the next is granted', () => {
    expect(check(history(granted('A1', 0), released('A1', 100), granted('B1', 100), released('B1', 200))).verdict).toBe(
      'safe',
    );
  });

  it('is broken between any two of many holds, not only between neighbours', () => {
    const found = check(
      history(
        granted('A1', 0),
        granted('B1', 10),
        released('B1', 20),
        granted('B2', 30),
        released('B2', 40),
        released('A1', 50),
      ),
    );
    expect(found.evidence).toHaveLength(2);
    expect(found.figures?.overlapMs).toBe(20);
  });

  it('counts a belief until the process is killed', () => {
    expect(
      check(history(granted('A1', 0), fault('kill', 'A', 100), granted('B1', 150), released('B1', 200))).verdict,
    ).toBe('safe');
    expect(
      check(history(granted('A1', 0), granted('B1', 50), fault('kill', 'A', 100), released('B1', 200))).verdict,
    ).toBe('unsafe');
  });

  it('counts a belief until the last yes, when the lock itself finds out', () => {
    const beforeTheRival = history(granted('A1', 0), doubts('A1', 110, 100), granted('B1', 150), released('B1', 200));
    expect(check(beforeTheRival).verdict).toBe('safe');
    const afterTheRival = history(granted('A1', 0), granted('B1', 150), doubts('A1', 190, 180), released('B1', 200));
    expect(check(afterTheRival)).toMatchObject({ verdict: 'unsafe', figures: { overlapMs: 30 } });
  });

  it('holds when a stopped holder says no at its first look, although the rival came while it slept', () => {
    const found = check(
      history(
        granted('A1', 0),
        fault('stop', 'A', 100),
        granted('B1', 3_000),
        fault('continue', 'A', 3_100),
        doubts('A1', 3_105, 99),
        released('B1', 4_000),
      ),
    );
    expect(found.verdict).toBe('safe');
  });

  it('is broken when a stopped holder still says yes after waking; asleep it could not act on it', () => {
    const found = check(
      history(
        granted('A1', 0),
        fault('stop', 'A', 100),
        granted('B1', 3_000),
        fault('continue', 'A', 3_500),
        believes('A1', 3_510),
        released('A1', 3_700),
        released('B1', 4_000),
      ),
    );
    expect(found).toMatchObject({ verdict: 'unsafe', figures: { overlapMs: 700, falseBeliefMs: 200 } });
  });

  it('counts a holder that comes back to believing', () => {
    const found = check(
      history(
        granted('A1', 0),
        doubts('A1', 100, 90),
        granted('B1', 150),
        believes('A1', 160),
        released('A1', 170),
        released('B1', 200),
      ),
    );
    expect(found).toMatchObject({ verdict: 'unsafe', figures: { overlapMs: 10 } });
  });

  it('is undecided when an awake holder was not asked for long, and the rival came in that time', () => {
    const found = check(history(granted('A1', 0), granted('B1', 500), doubts('A1', 900, 100), released('B1', 1_000)));
    expect(found.verdict).toBe('unknown');
    expect(found.evidence[0]).toContain('A was not asked');
  });

  it('holds when a holder was not asked for as short a time as any timer may be late', () => {
    expect(
      check(history(granted('A1', 0), granted('B1', 150), doubts('A1', 200, 100), released('B1', 1_000))).verdict,
    ).toBe('safe');
  });

  it('is undecided when only one process ever held', () => {
    expect(check(history(granted('A1', 0), released('A1', 10), granted('A2', 20), released('A2', 30))).verdict).toBe(
      'unknown',
    );
    expect(check(history()).verdict).toBe('unknown');
  });

  it('counts a hold that was never given back until the end of the record', () => {
    expect(check(history(granted('A1', 0), granted('B1', 99_950), released('B1', 99_960))).figures?.overlapMs).toBe(10);
    expect(check(history(granted('A1', 0), granted('B1', 99_950))).figures?.overlapMs).toBe(50);
  });
});
