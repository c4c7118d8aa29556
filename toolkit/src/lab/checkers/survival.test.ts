import { describe, expect, it } from 'vitest';
import { contends, failed, fault, granted, history, refused, released, type Said } from './hand-written.testing.ts';
import { survival } from './survival.ts';

const { check } = survival;

const isRefused = (at: number): Said => [at, 'A', { f: 'refused', type: 'event', error: '0 of the 1 replicas' }];

describe('survival', () => {
  it('is safe for a lock that was refused, with the reason', () => {
    const found = check(history(fault('cut', 'replica', -50), failed('A', 0), isRefused(1), granted('A1', 100)));
    expect(found).toMatchObject({ verdict: 'safe', figures: { lockRefused: true } });
    expect(found.evidence[0]).toContain('0 of the 1 replicas');
  });

  it('is lost when a rival has the lock before it is given back', () => {
    const found = check(
      history(
        granted('A1', 0),
        fault('kill', 'primary', 10),
        contends('B', 20),
        granted('B1', 110),
        released('A1', 200),
      ),
    );
    expect(found).toMatchObject({ verdict: 'unsafe', figures: { lockKept: false } });
    expect(found.evidence[0]).toContain('100 ms after');
  });

  it('is kept when the rival was refused until then', () => {
    const found = check(
      history(
        granted('A1', 0),
        fault('kill', 'primary', 10),
        contends('B', 20),
        failed('B', 30),
        refused('B', 60),
        refused('B', 110),
        released('A1', 200),
      ),
    );
    expect(found).toMatchObject({ verdict: 'safe', figures: { lockKept: true } });
    expect(found.evidence[0]).toMatch(/2 times.*100 ms/);
  });

  it('is kept when the rival gets it after it was given back', () => {
    const found = check(
      history(
        granted('A1', 0),
        fault('kill', 'primary', 10),
        contends('B', 20),
        released('A1', 200),
        granted('B1', 300),
        refused('B', 400),
      ),
    );
    expect(found.verdict).toBe('safe');
  });

  it('is undecided when the last try of the rival got no answer, for that is no refusal', () => {
    const found = check(
      history(granted('A1', 0), fault('kill', 'primary', 10), contends('B', 20), refused('B', 60), failed('B', 110)),
    );
    expect(found.verdict).toBe('unknown');
  });

  it('is undecided when the rival was refused, and the server that took over had no key', () => {
    const seen: Said = [
      15,
      'replica',
      { f: 'server', type: 'event', event: 'seen', says: 'has no key at all, so the lock is lost' },
    ];
    const found = check(
      history(granted('A1', 0), fault('kill', 'primary', 10), seen, contends('B', 30), refused('B', 110)),
    );
    expect(found.verdict).toBe('unknown');
    expect(found.evidence[0]).toContain('written it anew');
  });

  it('is undecided when nobody held, or no server died', () => {
    expect(check(history(granted('A1', 0), refused('B', 60))).verdict).toBe('unknown');
    expect(check(history(fault('kill', 'primary', 10), refused('B', 60), granted('A1', 90))).verdict).toBe('unknown');
  });
});
