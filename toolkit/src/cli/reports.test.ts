import type { LockReport } from 'holdfast';
import { describe, expect, it } from 'vitest';
import { listLines, toJson, whoLines } from './reports.ts';
import { widthOf } from './text.ts';

const NOW = new Date('2026-11-30T12:00:00Z');

const nightly: LockReport = {
  name: 'nightly',
  holder: {
    owner: 'b7e3:1',
    host: 'web-1',
    pid: 4711,
    purpose: 'job.sh',
    since: new Date('2026-11-30T11:57:55Z'),
    fencingToken: 9_007_199_254_740_993n,
    remainingMs: 25_400.5,
    foreign: false,
  },
  waiters: [
    { owner: 'c1:1', host: 'web-2', pid: 88, purpose: 'job.sh', since: new Date('2026-11-30T11:59:48Z') },
    { owner: 'd1:1', host: 'a-longer-host', pid: 7, purpose: undefined, since: undefined },
  ],
};

/** Held by a program of somebody else, of which the backend knows little. */
const foreign: LockReport = {
  name: 'order:1001',
  holder: {
    owner: 'some-uuid:12',
    host: undefined,
    pid: undefined,
    purpose: undefined,
    since: undefined,
    fencingToken: undefined,
    remainingMs: undefined,
    foreign: true,
  },
  waiters: [],
};

const free: LockReport = { name: 'free', holder: null, waiters: [] };

describe('the list of locks', () => {
  it('has a line for each, in columns', () => {
    expect(listLines([nightly, foreign, free], 80, NOW)).toEqual([
      'LOCK        HOLDER       HELD  LEFT  WAITING  PURPOSE',
      'nightly     web-1:4711  2m 5s   25s        2  job.sh',
      'order:1001  unknown         -     -        0',
      'free        -               -     -        0',
    ]);
  });

  it('fits into 80 columns by cutting what is longest, and never a number', () => {
    const { holder } = nightly;
    if (holder === null) throw new Error('it is held');
    const long: LockReport = {
      ...nightly,
      name: `a-very-long-name-of-a-lock-${'x'.repeat(100)}`,
      holder: { ...holder, host: `host-${'y'.repeat(60)}`, purpose: '目的'.repeat(40) },
    };
    const lines = listLines([long, nightly], 80, NOW);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(80);
    expect(lines[1]).toMatch(/2m 5s +25s +2 /);
    expect(listLines([long], Number.POSITIVE_INFINITY, NOW)[1]).toContain('x'.repeat(100));
  });
});

describe('the report on one lock', () => {
  it('says who holds it and who waits, in order', () => {
    expect(whoLines(nightly, NOW)).toEqual([
      'nightly',
      '  held by  web-1:4711',
      '  owner    b7e3:1',
      '  since    2026-11-30T11:57:55.000Z (2m 5s ago)',
      '  left     25s, unless it is renewed',
      '  token    9007199254740993',
      '  purpose  job.sh',
      '  waiting  2, in this order:',
      '    1  web-2:88         for 12s  job.sh',
      '    2  a-longer-host:7',
    ]);
  });

  it('leaves out what is not known, and says that a holder is a stranger', () => {
    expect(whoLines(foreign, NOW)).toEqual([
      'order:1001',
      "  held by  unknown (not a lock of holdfast's own)",
      '  owner    some-uuid:12',
      '  waiting  nobody',
    ]);
    expect(whoLines(free, NOW)).toEqual(['free', '  held by  nobody', '  waiting  nobody']);
  });

  it('has the same keys for programs, whatever is known, and its token as a decimal string', () => {
    expect(JSON.parse(JSON.stringify(toJson(nightly)))).toEqual({
      lock: 'nightly',
      holder: {
        owner: 'b7e3:1',
        host: 'web-1',
        pid: 4711,
        purpose: 'job.sh',
        since: '2026-11-30T11:57:55.000Z',
        fencingToken: '9007199254740993',
        remainingMs: 25_401,
        foreign: false,
      },
      waiters: [
        { owner: 'c1:1', host: 'web-2', pid: 88, purpose: 'job.sh', since: '2026-11-30T11:59:48.000Z' },
        { owner: 'd1:1', host: 'a-longer-host', pid: 7, purpose: null, since: null },
      ],
    });
    expect(toJson(foreign)).toMatchObject({ holder: { host: null, fencingToken: null, remainingMs: null } });
    expect(toJson(free)).toEqual({ lock: 'free', holder: null, waiters: [] });
  });
});
