import { expect, it } from 'vitest';
import { describeRedlock } from './tables.ts';

const of = (median: number) => ({ median, min: median / 2, max: median * 2 });

it('prints each figure with its extremes, and no ratio of a thing with itself', () => {
  const text = describeRedlock({
    startedAt: '2026-01-02T03:04:05Z',
    command: 'npm run bench:redlock',
    rounds: 15,
    server: 'redis 7',
    machine: '2 processors',
    loadBefore: 0.1,
    loadAfter: 2,
    pairs: [
      { name: 'one server', perSecond: of(5_000), cpuUs: of(80), fiveAgainstIt: of(0.5) },
      { name: 'five servers', perSecond: of(2_500), cpuUs: of(300), fiveAgainstIt: undefined },
    ],
    apart: [{ name: 'one server, away', perSecond: of(200), cpuUs: of(80), fiveAgainstIt: of(0.9) }],
    outages: [{ servers: 'one frozen', pairs: 1_000, p50Ms: 0.5, p99Ms: 1.25, maxMs: 20 }],
  });
  expect(text).toContain('Load average 0.1 before and 2.0 after.');
  expect(text).toContain('| one server | 5000 (2500-10000) | 80 (40-160) | 0.50 (0.25-1.00) |');
  expect(text).toContain('| five servers | 2500 (1250-5000) | 300 (150-600) |  |');
  expect(text).toContain('| one server, away | 200 (100-400) | 0.90 (0.45-1.80) |');
  expect(text).toContain('| one frozen (1,000 pairs) | 0.50 | 1.25 | 20.0 |');
});
