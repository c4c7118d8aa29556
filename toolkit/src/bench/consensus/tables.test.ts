import { expect, it } from 'vitest';
import type { LineFigures } from './measures.ts';
import { describeConsensus } from './tables.ts';

const of = (median: number) => ({ median, min: median / 2, max: median * 2 });

const line: LineFigures = {
  id: 'holdfast',
  waiters: 100,
  processes: 4,
  p50Ms: of(4),
  calls: of(3),
  watchMessages: of(2),
  serverCpuMs: of(1),
  ratio: of(1.5),
};

const costs = {
  bare: { calls: of(2), clientCpuMs: of(0.5), serverCpuMs: of(0.4) },
  holdfast: { calls: of(2), clientCpuMs: undefined, serverCpuMs: of(0.4) },
};

const figures = {
  server: 'etcd 3.4.23',
  pairs: [{ atOnce: 64, perSecond: { bare: of(1_000), holdfast: of(700) }, ratios: { bare: of(0.7) }, costs }],
  lines: [[line, { ...line, id: 'lock service', ratio: undefined } as const]],
  crowds: [{ waiters: 1_000, callsPerSecond: 1.26, serverCpuPercent: 0.8 }],
  held: { locks: 1_000, ttlMs: 9_000, periods: 3, renewalsPerPeriod: 1, callsPerPeriod: 9 },
  loss: { ttlMs: 3_000, count: 10, afterDeadlineMs: of(-98) },
  recovery: { ttlMs: 2_000, count: 10, ttls: of(1.1) },
};

const describe = (system: typeof figures | object): string =>
  describeConsensus({
    startedAt: '2026-01-02T03:04:05Z',
    command: 'npm run bench:consensus',
    rounds: 15,
    machine: '2 processors',
    loadBefore: 0.1,
    loadAfter: 2,
    systems: [{ ...figures, ...system }],
  });

it('prints each figure with its extremes, and a ratio only for ours', () => {
  const text = describe({});
  expect(text).toContain('Load average 0.1 before and 2.0 after.');
  expect(text).toContain(
    '| bare | 1000 (500 to 2000) | 0.70 (0.35 to 1.40) | 2.0 (1.0 to 4.0) | 0.50 (0.25 to 1.00) | 0.40',
  );
  expect(text).toContain('| holdfast | 700 (350 to 1400) |  | 2.0 (1.0 to 4.0) |  | 0.40 (0.20 to 0.80) |');
  expect(text).toContain('| holdfast | 100 | 4 | 4.00 (2.00 to 8.00) | 1.50 (0.75 to 3.00) | 3.0 (1.5 to 6.0) | 2.0');
  expect(text).toContain('| lock service | 100 | 4 | 4.00 (2.00 to 8.00) |  |');
  expect(text).toContain('| 1,000 | 1.3 | 0.8 % |');
  expect(text).toContain('- 1,000 held locks of one TTL (9000 ms): 1.0 keep-alives, and 9.0 calls in all, in a period');
  expect(text).toContain('free after 1.10 (0.55 to 2.20) TTLs (10 kills).');
});

it('leaves out what a server does not count', () => {
  const none = { min: 0, median: 0, max: 0 };
  const held = { ...figures.held, renewalsPerPeriod: undefined };
  const text = describe({ lines: [[{ ...line, watchMessages: none }]], held });
  expect(text).not.toContain('watch messages');
  expect(text).not.toContain('keep-alives');
});

it('leaves out what was not measured', () => {
  const [pairs, lines, crowds, held, recovery] = Array.from({ length: 5 }, () => undefined);
  const text = describe({ pairs, lines, crowds, held, recovery });
  expect(text.split('\n').filter((each) => each.startsWith('|') || each.startsWith('-'))).toEqual([
    expect.stringMatching(/^- Server stopped, TTL 3000 ms: the signal of the loss comes -98\.0 /),
  ]);
});
