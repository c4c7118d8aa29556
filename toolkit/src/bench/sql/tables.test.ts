import { expect, it } from 'vitest';
import { describeSql } from './tables.ts';

const of = (median: number) => ({ median, min: median / 2, max: median * 2 });

it('prints each figure with its extremes, and leaves out what a database does not have', () => {
  const text = describeSql({
    startedAt: '2026-01-02T03:04:05Z',
    command: 'npm run bench:sql',
    rounds: 15,
    machine: '2 processors',
    loadBefore: 0.1,
    loadAfter: 2,
    databases: [
      {
        server: 'mariadb 10.11',
        pairs: {
          perSecond: {
            'bare row': of(1_000),
            'lease row': of(900),
            'bare session lock': of(2_000),
            'session lock': of(1_800),
          },
          rowRatio: of(0.9),
          sessionRatio: of(0.8),
          others: [{ name: 'npm:other', perSecond: of(500), ratio: of(0.25) }],
        },
        leftOut: 'npm:absent is not installed.',
        handOvers: [{ waiters: 10, p50Ms: of(4), statements: of(3), notifyMs: undefined, notifyRatio: undefined }],
        waiting: { waiters: 1_000, connections: 2, statementsPerSecond: 41.6 },
        held: { locks: 1_000, periods: 3, statementsPerPeriod: 1 },
        recovery: { kills: 15, recoveryMs: of(20) },
      },
    ],
  });
  expect(text).toContain('Load average 0.1 before and 2.0 after.');
  expect(text).toContain('| lease row | 900 (450-1800) | 0.90 (0.45-1.80) |');
  expect(text).toContain('| npm:other | 500 (250-1000) | 0.25 (0.13-0.50) |\n\nnpm:absent is not installed.\n');
  expect(text).toContain('| bare row | 1000 (500-2000) |  |');
  expect(text).toContain('| 10 | 4.00 (2.00-8.00) | 3.0 (1.5-6.0) | none |  |');
  expect(text).toContain(
    '1,000 waiters of one process use at most 2 connections of its pool, and 42 statements a second.',
  );
  expect(text).toContain('1,000 held locks are renewed by 1.0 statements in a period');
});
