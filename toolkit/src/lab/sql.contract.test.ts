import { beforeEach, describe, expect, it } from 'vitest';
import { RUN_LIMIT_MS } from './checkup.testing.ts';
import { needsDatabases } from './databases.testing.ts';
import { whyNoClock } from './faults/process-clock.ts';
import { verdicts, wholeCheckup } from './whole-checkup.testing.ts';

beforeEach(needsDatabases);

describe('a check-up of locks on databases', { timeout: RUN_LIMIT_MS }, () => {
  it('finds what is stuck, what comes free at once, and what after its TTL', async () => {
    const subjects = ['table-row', 'get-lock', 'holdfast:postgres-session', 'holdfast:mysql'];
    const results = await wholeCheckup('crash', '--ttl', '1s', ...subjects.flatMap((name) => ['--subject', name]));
    expect(verdicts(results)).toEqual([
      'crash table-row unsafe',
      'crash get-lock safe',
      'crash holdfast:postgres-session safe',
      'crash holdfast:mysql safe',
    ]);
    expect(results[0]?.checks.find(({ checker }) => checker === 'recovery')?.verdict).toBe('unsafe');
    expect(results[3]?.figures.recoveryMs).toBeGreaterThan(500);
  });

  it('finds that a session lock is given to everybody behind a pooler, and a lease row to one', async () => {
    const results = await wholeCheckup('pooler', '--subject', 'pg-advisory', '--subject', 'holdfast:postgres');
    expect(verdicts(results)).toEqual(['pooler pg-advisory unsafe', 'pooler holdfast:postgres safe']);
    expect(results[0]?.figures.grantsWhileHeld).toBeGreaterThan(1);
    expect(results[0]?.figures.lostUpdates).toBeGreaterThan(0);
    expect(results[1]?.figures.overlapMs).toBe(0);
  });

  it('moves the date of a server with all its processes, which ends a lease row', async (context) => {
    const reason = whyNoClock(process.platform);
    if (reason !== undefined) context.skip(reason);
    const subjects = ['holdfast:postgres', 'holdfast:mysql'];
    const results = await wholeCheckup('clock', ...subjects.flatMap((name) => ['--subject', name]));
    const ran = results.filter(({ verdict }) => verdict !== 'not-run');
    expect(verdicts(ran)).toEqual(['clock holdfast:postgres safe', 'clock holdfast:mysql safe']);
    for (const { figures } of ran) {
      // Far sooner than the TTL of six seconds, and what the first one writes then is refused.
      expect(figures.recoveryMs).toBeLessThan(4_000);
      expect(figures.staleWritesRefused).toBeGreaterThan(0);
    }
    const told = ran[0]?.evidence.map(({ says }) => says).join();
    expect(told).toMatch(/clock_timestamp\(\) is 1[12] s ahead .* on a connection from before and on a new one/);
  });
});
