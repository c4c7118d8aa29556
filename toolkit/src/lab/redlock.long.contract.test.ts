import { beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { RUN_LIMIT_MS } from './checkup.testing.ts';
import { whyNoClock } from './faults/process-clock.ts';
import type { Result } from './result.ts';
import { findServers } from './servers/find-server.ts';
import { verdicts, wholeCheckup } from './whole-checkup.testing.ts';

beforeEach((context: TestContext) => {
  if (process.platform !== 'linux')
    context.skip('What a run leaves behind is looked up in /proc, which only Linux has.');
  const { redis } = findServers();
  if ('missing' in redis) context.skip(redis.missing);
});

const figures = (results: readonly Result[], id: string): Result['figures'] =>
  results.find(({ experiment }) => experiment === id)?.figures ?? {};

describe('a check-up of Redlock on five servers', { timeout: RUN_LIMIT_MS }, () => {
  it('shows what a server that votes twice does, and what keeps it from that', async () => {
    const results = await wholeCheckup('crash', 'pause', 'redlock-restart', '--subject', 'holdfast:redlock');
    expect(verdicts(results)).toEqual([
      'crash holdfast:redlock safe',
      'pause holdfast:redlock unsafe',
      'redlock-restart holdfast:redlock unsafe',
      'redlock-restart-late holdfast:redlock safe',
      'redlock-restart-in-turn holdfast:redlock safe',
    ]);
    expect(figures(results, 'redlock-restart').falseBeliefMs).toBeGreaterThan(0);
    expect(figures(results, 'redlock-restart-late').marginMs).toBeGreaterThan(0);
    expect(figures(results, 'redlock-restart-in-turn').lockKept).toBe(true);
  });

  it('shows what a clock that jumps does, on one server and on five', async (context) => {
    const reason = whyNoClock(process.platform);
    if (reason !== undefined) context.skip(reason);
    const args = ['--subject', 'holdfast:redlock', '--subject', 'holdfast:redis', '--subject', 'setnx'];
    const results = await wholeCheckup('clock', ...args);
    expect(verdicts(results)).toEqual([
      'clock holdfast:redis safe',
      'clock setnx unsafe',
      'clock-one-of-three holdfast:redlock unsafe',
      'clock-majority holdfast:redlock unsafe',
      'clock-one-of-five holdfast:redlock safe',
    ]);
    expect(figures(results, 'clock-one-of-five').lockKept).toBe(true);
    expect(figures(results, 'clock-majority').falseBeliefMs).toBeGreaterThan(0);
  });

  it('shows that who is cut off from all of them knows it in time, and needs no token if it looks', async () => {
    const results = await wholeCheckup('partition', '--ttl', '2s', '--subject', 'holdfast:redlock');
    expect(verdicts(results)).toEqual([
      'partition holdfast:redlock unsafe',
      'partition-answers holdfast:redlock unsafe',
      'partition-requests holdfast:redlock unsafe',
      'partition-slow holdfast:redlock unsafe',
      'partition-heeded holdfast:redlock safe',
    ]);
    for (const { figures } of results) expect(figures).toMatchObject({ overlapMs: 0 });
    for (const { figures } of results) expect(figures.marginMs).toBeGreaterThanOrEqual(0);
    expect(figures(results, 'partition-heeded').staleWritesAccepted).toBe(0);
  });
});
