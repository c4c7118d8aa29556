import { describe, expect, it } from 'vitest';
import { defaultKillAfterMs, endSchedule, killMarginMs, longestKillAfterMs, whyImpossible } from './schedule.ts';

describe('the end of a command, counted back from the end of its lease', () => {
  const terms = { ttlMs: 30_000, killAfterMs: 5_000 };

  it('is SIGTERM, the grace, SIGKILL, and a margin', () => {
    expect(endSchedule(100_000, terms, 'guard')).toEqual({ termAt: 93_500, killAt: 98_500 });
  });

  it('comes to the front after the guard has had its turn, and before the lease is over', () => {
    for (const ttlMs of [1_000, 3_000, 30_000, 3_600_000]) {
      const some = { ttlMs, killAfterMs: defaultKillAfterMs(ttlMs) };
      const guard = endSchedule(0, some, 'guard');
      const front = endSchedule(0, some, 'front');
      expect(front.termAt).toBeGreaterThan(guard.termAt);
      expect(front.killAt).toBeGreaterThan(guard.killAt);
      expect(front.killAt).toBeLessThanOrEqual(-50);
    }
  });
});

describe('the terms of a run', () => {
  it('leave renewal half of the TTL', () => {
    for (const ttlMs of [1_000, 10_000, 30_000]) {
      const terms = { ttlMs, killAfterMs: longestKillAfterMs(ttlMs) };
      const validUntil = ttlMs * 0.99 - 2; // for a lease that is counted from 0
      expect(endSchedule(validUntil, terms, 'guard').termAt).toBeGreaterThanOrEqual(ttlMs / 2);
      expect(whyImpossible(terms)).toBeUndefined();
      expect(whyImpossible({ ttlMs, killAfterMs: terms.killAfterMs + 1 })).toMatch(/does not fit/);
    }
  });

  it('have a default grace that fits every TTL', () => {
    for (const ttlMs of [1_000, 1_500, 5_000, 30_000, 3_600_000]) {
      expect(whyImpossible({ ttlMs, killAfterMs: defaultKillAfterMs(ttlMs) })).toBeUndefined();
    }
    expect(defaultKillAfterMs(30_000)).toBe(5_000);
    expect(defaultKillAfterMs(3_600_000)).toBe(5_000);
  });

  it('that cannot be kept are refused with the numbers, and with a TTL that would do', () => {
    const why = whyImpossible({ ttlMs: 10_000, killAfterMs: 5_000 });
    expect(why).toBe(
      '--kill-after 5s does not fit into --ttl 10s: half of the TTL is needed for renewals and 500ms for the last kill, which leaves 4.3s. --ttl 12s would be enough.',
    );
    expect(whyImpossible({ ttlMs: 12_000, killAfterMs: 5_000 })).toBeUndefined();
  });

  it('need a TTL of at least a second', () => {
    expect(whyImpossible({ ttlMs: 999, killAfterMs: 0 })).toBe('--ttl must be at least 1s, and is 999ms.');
  });

  it('keep a margin for the last kill', () => {
    expect(killMarginMs(1_000)).toBe(100);
    expect(killMarginMs(30_000)).toBe(1_500);
  });
});
