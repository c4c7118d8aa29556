import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Reaper } from '../lab/reaper.ts';
import { findRedisServer } from '../lab/servers/find-server.ts';
import { RedisServer } from '../lab/servers/redis.ts';
import type { Bench } from './bench.ts';
import { measureHandOver } from './measures/hand-over.ts';
import { measureHeldLocks } from './measures/held-locks.ts';
import { measurePairs } from './measures/pairs.ts';
import { measureWaiting } from './measures/waiting.ts';

const program = findRedisServer();
const missing = 'missing' in program ? program.missing : undefined;

describe.skipIf(missing !== undefined)(`the benchmark on a real server${missing ? ` (${missing})` : ''}`, () => {
  let bench: Bench;

  beforeAll(async () => {
    if ('missing' in program) return;
    const reaper = await Reaper.start();
    const server = await RedisServer.start({ reaper, program: program.file, name: 'redis', folder: reaper.folder });
    bench = { reaper, server, rounds: 1, warmUpMs: 100, progress: () => {} };
  });

  afterAll(async () => {
    bench?.server.stop();
    await bench?.reaper.close();
  });

  it('one pair at a time is two requests, by hand and through Holdfast', async () => {
    const [serial] = await measurePairs(bench, [1]);
    for (const figures of Object.values(serial?.subjects ?? {})) {
      expect(figures.perSecond.median).toBeGreaterThan(10);
      expect(figures.requests.median).toBeCloseTo(2, 1);
    }
    expect(serial?.ratios).toHaveLength(4);
  });

  it('a lock goes from process to process, and nobody is overtaken or has it twice in a row', async () => {
    const { subjects } = await measureHandOver(bench, { waiters: 6, processes: 2, holdMs: 0 });
    for (const figures of Object.values(subjects)) {
      expect(figures.handOvers).toBeGreaterThan(10);
      expect(figures.p50Ms.median).toBeGreaterThan(0);
    }
    expect(subjects.holdfast.inversionsOfContenders).toBe(0);
    expect(subjects.holdfast.inversionsOfCallersInOneProcess).toBe(0);
    expect(subjects.holdfast.takenAgainByCaller.max).toBe(0);
  });

  it('who waits while nothing happens asks seldom', async () => {
    const { requestsPerSecond } = await measureWaiting(bench, { waiters: 20, processes: 2 }, 1_000);
    expect(requestsPerSecond).toBeLessThan(20);
  });

  it('held locks are renewed together, once in a period', async () => {
    const held = await measureHeldLocks(bench, { subject: 'holdfast', locks: 300, ttlMs: 6_000, acquiredOverMs: 0 });
    expect(held.renewals).toBeGreaterThanOrEqual(240);
    expect(held.renewalsPerCall).toBeGreaterThan(5);
    expect(held.serverBytesPerLock).toBeGreaterThan(0);
  });
});
