import picocolors from 'picocolors';
import { describe, expect, it } from 'vitest';
import { advice as english } from '../messages/en/advice.ts';
import type { Language } from '../messages/language.ts';
import { speechIn } from '../messages/speech.ts';
import { advice as chinese } from '../messages/zh/advice.ts';
import { resultLines } from './print-result.ts';
import type { Result } from './result.ts';

const paint = picocolors.createColors(false);

const failover: Result = {
  experiment: 'failover',
  subject: 'holdfast:redis',
  verdict: 'safe',
  expected: 'safe',
  figures: {
    overlapMs: 612,
    falseBeliefMs: 612,
    staleWritesAccepted: 8,
    lostUpdates: 11,
    staleWritesRefused: 8,
    staleWritesPastGuard: 0,
    tokensInOrder: true,
  },
  checks: [
    { checker: 'sanity', verdict: 'safe', evidence: ['The record is whole; 3 faults proven.'] },
    {
      checker: 'mutual-exclusion',
      verdict: 'unsafe',
      evidence: ['Two holders at once for 612 ms: A1 and B1 both believed it, from T+0.41s to T+1.03s.'],
    },
    {
      checker: 'guarded-register',
      verdict: 'safe',
      evidence: ['35 writes, none stale, no update lost. The guard refused 8 stale writes.'],
    },
  ],
  evidence: [
    {
      atMs: -90,
      by: 'replica',
      says: 'is cut off: stopped, and its link closed, so it gets no more writes (the primary counts 0 replicas)',
      tone: 'fault',
    },
    { atMs: 0, by: 'A', says: 'has the lock (TTL 3.00 s, token 7)', tone: 'good' },
    { atMs: 12_345, by: 'B', says: 'releases', tone: 'plain' },
  ],
};

describe('a result as text', () => {
  it('says how often a lock was given to a second holder, where that was more than once', () => {
    const figures = { overlapMs: 554, grantsWhileHeld: 5, staleWritesAccepted: 36, lostUpdates: 39 };
    const lines = resultLines({ ...failover, experiment: 'pooler', verdict: 'unsafe', figures }, paint, 120);
    expect(lines[1]).toContain('Given to a second holder 5 times while the first had it, for 554 ms in all.');
  });

  it('says how long a lock was stuck after a cut', () => {
    const checks = failover.checks.filter(({ checker }) => checker === 'sanity');
    const figures = { recoveryMs: 14_900, tries: 150 };
    const lines = resultLines({ ...failover, experiment: 'silent-cut', figures, checks }, paint, 120);
    expect(lines[1]).toContain('Free again 14.9 s after the cut, at try 150');
  });

  it('says first what happened to the lock, then to the data, then second by second', () => {
    expect(resultLines(failover, paint, 80)).toEqual([
      'holdfast:redis · failover                                      safe, as expected',
      '  Two holders at once for 612 ms. Token and guard saved the data: 8 stale writes',
      '  refused, none passed.',
      '',
      '  [T- 0.09s] [replica] is cut off: stopped, and its link closed, so it gets no',
      '                       more writes (the primary counts 0 replicas)',
      '  [T+ 0.00s] [A]       has the lock (TTL 3.00 s, token 7)',
      '  [T+12.35s] [B]       releases',
      '',
      '  sanity            valid    The record is whole; 3 faults proven.',
      '  mutual-exclusion  unsafe   Two holders at once for 612 ms: A1 and B1 both',
      '                             believed it, from T+0.41s to T+1.03s.',
      '  guarded-register  safe     35 writes, none stale, no update lost. The guard',
      '                             refused 8 stale writes.',
    ]);
  });

  it.each([60, 80, 120])('fits into %i columns', (width) => {
    for (const line of resultLines(failover, paint, width)) expect(line.length).toBeLessThanOrEqual(width);
  });

  it('cries out when a verdict is not the expected one', () => {
    const [title] = resultLines({ ...failover, verdict: 'unsafe' }, paint, 80);
    expect(title).toMatch(/UNSAFE; safe was expected$/);
  });

  it('says what to do about a verdict that nobody wanted, in the words of the page, and only about such a one', () => {
    const saying = (more: Partial<Result>, language: Language = 'en'): string =>
      resultLines({ ...failover, ...more }, paint, 500, speechIn(language)).join('\n');
    expect(saying({ verdict: 'unsafe' })).toContain(`\n\n  What to do: ${english.failoverRemedy}`);
    expect(saying({ verdict: 'unsafe' }, 'zh')).toContain(`：${chinese.failoverRemedy}`);
    const notHandedOver = { checker: 'hand-over', verdict: 'unsafe', evidence: [], figures: {} } as const;
    const stuck = saying({ verdict: 'unsafe', checks: [...failover.checks, notHandedOver] });
    expect(stuck).toContain(`\n\n  What to do: ${english.handOverRemedy}`);
    for (const more of [{}, { verdict: 'unsafe', expected: 'unsafe' }, { verdict: 'unknown' }] as const)
      expect(saying(more)).not.toContain('What to do');
  });

  it('says of a void run why it is void, once, and nothing of what checkers made of it', () => {
    const reason = 'open() of the subject did not return within 10000 ms.';
    const lines = resultLines(
      {
        ...failover,
        verdict: 'unknown',
        reason,
        checks: [{ checker: 'sanity', verdict: 'unknown', evidence: [reason] }],
        evidence: [{ atMs: 0, by: 'lab', says: reason, tone: 'bad' }],
      },
      paint,
      80,
    );
    expect(lines).toEqual([
      'holdfast:redis · failover                                                unknown',
      `  ${reason}`,
    ]);
  });

  it('names what helped, or did not', () => {
    const saying = (figures: Result['figures'], verdict: Result['verdict'] = 'unsafe'): string =>
      resultLines(
        { ...failover, verdict, figures: { overlapMs: 50, staleWritesAccepted: 2, lostUpdates: 1, ...figures } },
        paint,
        500,
      )[1] ?? '';
    expect(saying({})).toContain('no token that a guard could check');
    expect(saying({ tokensInOrder: false })).toContain('repeat or go back');
    expect(saying({ tokensInOrder: true, staleWritesPastGuard: 2 })).toContain('2 stale writes went past the guard');
    expect(saying({ staleWritesRefused: 1 }, 'safe')).toContain('1 stale write refused, none passed');
  });

  it('says what happened to the lock, in the words of each experiment', () => {
    const kept = { checker: 'mutual-exclusion', verdict: 'safe', evidence: ['Never.'] } as const;
    const saying = (experiment: string, figures: Result['figures']): string =>
      resultLines({ ...failover, experiment, figures, checks: [kept] }, paint, 500)[1] ?? '';
    expect(saying('etcd-lease', { handOverMs: 9, recoveryMs: 3_290, tries: 1 })).toContain(
      'Handed over in 9 ms; free again 3.29 s after the kill; never two holders.',
    );
    expect(saying('zk-session', { lockKept: true, withoutServiceMs: 532 })).toContain(
      'The lock was kept; the rival had no answer for 532 ms',
    );
    expect(saying('zk-session', { lockKept: false, withoutServiceMs: 532 })).toContain('The lock was lost');
    expect(saying('herd', { waiters: 8, inversions: 0, commandsPerHandover: 1.5, handOverMs: 3 })).toContain(
      'In the order of arrival; never two holders. Each hand-over took 1.5 requests and 3 ms.',
    );
    expect(saying('herd', { waiters: 8, inversions: 5, handOverMs: 30 })).toContain(
      '5 of 8 out of turn; never two holders. Each hand-over took 30 ms.',
    );
    expect(saying('partition', { marginMs: 397 })).toContain('the old one knew 397 ms before the new one');
  });
});
