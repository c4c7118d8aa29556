import { describe, expect, it } from 'vitest';
import { contends, failed, fault, granted, history, refused, released, type Said } from './hand-written.testing.ts';
import { recovery } from './recovery.ts';

const { check } = recovery;

describe('recovery', () => {
  it('is counted from the kill to the grant, with the tries it took', () => {
    const found = check(
      history(
        granted('A1', 0),
        fault('kill', 'A', 10),
        contends('B', 20),
        refused('B', 30),
        refused('B', 230),
        granted('B1', 430),
      ),
    );
    expect(found).toMatchObject({ verdict: 'safe', figures: { recoveryMs: 420, tries: 3 } });
    expect(found.evidence[0]).toContain('3rd try');
  });

  it('does not count what the rival tried before the fault', () => {
    const found = check(
      history(granted('A1', 0), refused('B', 5), fault('kill', 'A', 10), contends('B', 20), granted('B1', 30)),
    );
    expect(found.figures?.tries).toBe(1);
  });

  it('is counted from the cut of the holder, where that is what goes wrong', () => {
    const found = check(
      history(granted('A1', 0), fault('cut', 'A', 10), contends('B', 20), refused('B', 30), granted('B1', 15_010)),
    );
    expect(found).toMatchObject({ verdict: 'safe', figures: { recoveryMs: 15_000, tries: 2 } });
  });

  it('is counted from the death of the server in a failover, and not from cutting the replica off', () => {
    const found = check(
      history(
        fault('cut', 'replica', -50),
        granted('A1', 0),
        fault('kill', 'primary', 10),
        contends('B', 20),
        granted('B1', 110),
      ),
    );
    expect(found.figures?.recoveryMs).toBe(100);
  });

  it('did not take place when the last try was refused', () => {
    const found = check(
      history(granted('A1', 0), fault('kill', 'A', 10), contends('B', 20), refused('B', 30), refused('B', 7_010)),
    );
    expect(found).toMatchObject({ verdict: 'unsafe', figures: { tries: 2 } });
    expect(found.evidence[0]).toContain('did not come free within 7.00 s');
  });

  it('has no object while a holder that nothing was done to has the lock', () => {
    const kept: Said[] = [...granted('A1', 0), contends('B', 20), ...refused('B', 2_010)];
    expect(check(history(kept, fault('kill', 'primary', 10))).verdict).toBe('not-run');
    expect(check(history(kept, fault('kill', 'A', 10))).verdict).toBe('unsafe');
    expect(check(history(kept, fault('kill', 'primary', 10), fault('stop', 'A', 11))).verdict).toBe('unsafe');
    expect(check(history(kept, fault('kill', 'primary', 10), released('A1', 1_000))).verdict).toBe('unsafe');
  });

  it('is undecided when the last try got no answer', () => {
    const found = check(
      history(
        granted('A1', 0),
        fault('kill', 'A', 10),
        contends('B', 20),
        refused('B', 30),
        failed('B', 500, 'connection closed'),
      ),
    );
    expect(found.verdict).toBe('unknown');
    expect(found.evidence[0]).toContain('connection closed');
  });

  it('goes over tries that failed with an error, if a later one succeeds', () => {
    const found = check(
      history(granted('A1', 0), fault('kill', 'primary', 10), contends('B', 20), failed('B', 30), granted('B1', 60)),
    );
    expect(found).toMatchObject({ verdict: 'safe', figures: { tries: 2 } });
  });

  it('is undecided when nobody asked', () => {
    expect(check(history(granted('A1', 0), fault('kill', 'A', 10))).verdict).toBe('unknown');
  });

  it('is undecided without a fault', () => {
    expect(check(history(granted('A1', 0), contends('B', 20), granted('B1', 30))).verdict).toBe('unknown');
  });
});
