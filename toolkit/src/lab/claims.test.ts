import picocolors from 'picocolors';
import { describe, expect, it } from 'vitest';
import { speechIn } from '../messages/speech.ts';
import { isKnown } from '../messages/translate.ts';
import { type About, type Claim, claimsOf, outcomeOfClaims, unexamined } from './claims.ts';
import { claimLines } from './print-claims.ts';
import type { Check, Figures, Guarantee, Result, Verdict } from './result.ts';

const redis: Guarantee = {
  liveness: 'after-ttl',
  survivesFailover: 'no',
  clockAssumption: "the server's clock does not jump",
  fencing: 'counter-and-server-clock',
  fairness: 'first-come-first-served',
};
const etcd: Guarantee = { ...redis, liveness: 'after-up-to-two-ttl', survivesFailover: 'yes', fencing: 'counter' };
const none: Guarantee = { ...redis, liveness: 'at-once', fencing: 'none', fairness: 'none' };

function result(experiment: string, figures: Figures, checks: Partial<Record<Check['checker'], Verdict>> = {}): Result {
  const told = Object.entries(checks) as [Check['checker'], Verdict][];
  return {
    experiment,
    subject: 'x',
    verdict: 'safe',
    expected: 'safe',
    ttlMs: 3_000,
    figures,
    checks: told.map(([checker, verdict]) => ({ checker, verdict, evidence: [`${checker} is ${verdict}`] })),
    evidence: [],
  };
}

function claims(guarantee: Guarantee, server: string, ...results: readonly Result[]): readonly Claim[] {
  return claimsOf({ subjects: [{ name: 'x', server, origin: 'holdfast', guarantee }], results });
}

function finding(about: About, ...run: Parameters<typeof claims>): Pick<Claim, 'finding' | 'says'> | undefined {
  return claims(...run).find((claim) => claim.about === about);
}

describe('that a killed holder frees its lock', () => {
  it.each([
    [redis, 2_900, 'confirmed'],
    [redis, 4_001, 'refuted'],
    [etcd, 6_900, 'confirmed'],
    [etcd, 7_100, 'refuted'],
    [none, 150, 'confirmed'],
    [none, 1_600, 'refuted'],
  ] as const)('is held against the time that it took: %#', (guarantee, recoveryMs, expected) => {
    expect(finding('liveness', guarantee, 'redis', result('crash', { recoveryMs }))?.finding).toBe(expected);
  });

  it('is refuted by a lock that never came free', () => {
    const stuck = result('crash', { tries: 80 }, { recovery: 'unsafe' });
    expect(finding('liveness', redis, 'redis', stuck)).toMatchObject({
      finding: 'refuted',
      says: 'crash: not free with a TTL of 3.00 s.',
    });
  });

  it('is refuted by one run of several', () => {
    const runs = [result('crash', { recoveryMs: 3_000 }), result('etcd-lease', { recoveryMs: 9_000 })];
    expect(finding('liveness', etcd, 'etcd', ...runs)?.says).toBe(
      'etcd-lease: free after 9.00 s with a TTL of 3.00 s.',
    );
  });

  it('is not told by an experiment in which the holder lives', () => {
    expect(finding('liveness', redis, 'redis', result('pause', { recoveryMs: 9_000 }))?.finding).toBe('unconfirmed');
  });
});

describe('that a grant outlives a failover', () => {
  it('is confirmed where the lock was kept, and refuted where it was lost', () => {
    const run = (lockKept: boolean): Result => result('etcd-leader', { lockKept });
    expect(finding('survivesFailover', etcd, 'etcd', run(true))?.finding).toBe('confirmed');
    expect(finding('survivesFailover', etcd, 'etcd', run(true), run(false))?.finding).toBe('refuted');
    expect(finding('survivesFailover', etcd, 'etcd')?.says).toBe('etcd-leader would tell, and was not chosen.');
  });

  it('is held against every round, and names an experiment once', () => {
    const rounds = [true, true].map((lockKept) => result('etcd-leader', { lockKept }));
    const [claim] = claims(etcd, 'etcd', ...rounds).filter(({ about }) => about === 'survivesFailover');
    expect(claim).toMatchObject({ by: ['etcd-leader'], says: 'etcd-leader: the lock was kept.' });
    const broken = [...rounds, result('etcd-leader', { lockKept: false })];
    expect(finding('survivesFailover', etcd, 'etcd', ...broken)?.finding).toBe('refuted');
  });

  it('is not promised by Redis, and what was seen is said', () => {
    const two = result('failover', {}, { 'mutual-exclusion': 'unsafe' });
    expect(finding('survivesFailover', redis, 'redis', two)).toMatchObject({
      finding: 'nothing',
      says: 'failover: two holders at once, which it does not exclude.',
    });
  });
});

describe('that tokens grow', () => {
  const grew = (experiment: string): Result => result(experiment, {}, { 'fencing-order': 'safe' });

  it('is confirmed over a failover only, where that forgets the counter', () => {
    expect(finding('fencing', redis, 'redis', grew('crash'))?.finding).toBe('unconfirmed');
    expect(finding('fencing', redis, 'redis', grew('crash'), grew('failover'))?.finding).toBe('confirmed');
    expect(finding('fencing', etcd, 'etcd', grew('crash'))?.finding).toBe('confirmed');
  });

  it('is refuted by one that did not', () => {
    const back = result('failover', {}, { 'fencing-order': 'unsafe' });
    expect(finding('fencing', redis, 'redis', grew('crash'), back)?.says).toBe('failover: fencing-order is unsafe');
  });

  it('is not refuted by a clock that goes back, which makes what is assumed of clocks needed', () => {
    const back = result('replica-clock-behind', {}, { 'fencing-order': 'unsafe', 'mutual-exclusion': 'unsafe' });
    const run = [grew('failover'), back];
    expect(finding('fencing', redis, 'redis', ...run)?.finding).toBe('confirmed');
    expect(finding('clockAssumption', redis, 'redis', ...run)?.says).toBe(
      'replica-clock-behind: otherwise tokens go back.',
    );
  });

  it('cannot be told by what could not be run with it', () => {
    const notRun: Result = {
      ...result('crash', {}),
      verdict: 'not-run',
      reason: 'It takes no lock without a replica.',
    };
    expect(finding('liveness', redis, 'redis', notRun)).toMatchObject({
      finding: 'not-run',
      says: 'crash was not run: It takes no lock without a replica.',
    });
  });

  it('is not asked of a lock without tokens', () => {
    expect(finding('fencing', none, 'mysql')?.finding).toBe('nothing');
  });
});

describe('that waiters are served as they come', () => {
  it('is told by the herds', () => {
    const run = (verdict: Verdict): Result => result('herd', {}, { queue: verdict });
    expect(finding('fairness', etcd, 'etcd', run('safe'))?.finding).toBe('confirmed');
    expect(finding('fairness', etcd, 'etcd', run('unsafe'))?.finding).toBe('refuted');
    expect(finding('fairness', etcd, 'etcd', run('unknown'))).toMatchObject({
      finding: 'undecided',
      says: 'herd was run, and does not tell.',
    });
    expect(finding('fairness', redis, 'redis')?.says).toBe('herd would tell, and was not chosen.');
  });

  it('is not refuted by a lock that wakes too many, and keeps the order', () => {
    const woken = result('herd', { inversions: 0, wakeUpsPerRelease: 4 }, { queue: 'unsafe' });
    expect(finding('fairness', etcd, 'etcd', woken)?.finding).toBe('confirmed');
    const both = result('herd', { inversions: 1, wakeUpsPerRelease: 4 }, { queue: 'unsafe' });
    expect(finding('fairness', etcd, 'etcd', both)?.finding).toBe('refuted');
  });

  it('is refuted by a large one, whatever the small one has shown', () => {
    const large = result('herd-100-in-8', {}, { queue: 'unsafe' });
    const run = [result('herd', {}, { queue: 'safe' }), large];
    expect(finding('fairness', redis, 'redis', ...run)).toMatchObject({
      finding: 'refuted',
      says: 'herd-100-in-8: queue is unsafe',
    });
  });
});

describe('what is assumed of clocks', () => {
  it('is shown to be needed, and never fails a run', () => {
    const two = result('clock', {}, { 'mutual-exclusion': 'unsafe' });
    expect(finding('clockAssumption', redis, 'redis', two)?.finding).toBe('needed');
    expect(finding('clockAssumption', redis, 'redis')?.finding).toBe('nothing');
  });

  it('is no date where the lock was kept when a date jumped, which is no failover', () => {
    const run = (lockKept: boolean): Result => result('clock-kept', { lockKept });
    expect(finding('clockAssumption', etcd, 'etcd', run(true))).toMatchObject({
      finding: 'confirmed',
      says: 'clock-kept: no date is assumed; it jumped, and the lock was kept.',
    });
    expect(finding('clockAssumption', etcd, 'etcd', run(false))?.finding).toBe('refuted');
    expect(finding('survivesFailover', etcd, 'etcd', run(true))?.finding).toBe('unconfirmed');
  });
});

describe('a void run', () => {
  const broken = { sanity: 'unknown', recovery: 'unsafe', 'fencing-order': 'unsafe', queue: 'unsafe' } as const;
  const lost = { 'mutual-exclusion': 'unsafe', service: 'unsafe' } as const;
  const run = ['crash', 'herd', 'etcd-leader', 'clock'].map((id) =>
    result(id, { recoveryMs: 90_000, lockKept: false, inversions: 3 }, { ...broken, ...lost }),
  );
  const whole = run.map((one) => ({ ...one, checks: one.checks.filter(({ checker }) => checker !== 'sanity') }));
  const findings = (results: readonly Result[]) => claims(etcd, 'etcd', ...results).map((claim) => claim.finding);

  it('refutes and confirms nothing, whatever its other checks and its figures say', () => {
    expect(findings(run)).toEqual(['undecided', 'undecided', 'undecided', 'undecided', 'nothing']);
    expect(findings(whole)).toEqual(['refuted', 'refuted', 'refuted', 'refuted', 'needed']);
  });
});

describe('the statements of a run', () => {
  const crash = result('crash', { recoveryMs: 100 }, { 'fencing-order': 'safe' });

  it('fail a run that has refuted one, or was to confirm one and has not', () => {
    const outcome = (...run: Parameters<typeof claims>) => outcomeOfClaims(claims(...run));
    const herd = (verdict: Verdict): Result => result('herd', {}, { queue: verdict });
    const late = result('crash', { recoveryMs: 9_000 }, { 'fencing-order': 'safe' });
    expect(outcome(none, 'mysql', crash)).toBe('done');
    expect(outcome(none, 'mysql')).toBe('notAsExpected');
    expect(outcome(etcd, 'etcd', crash, herd('safe'))).toBe('notAsExpected');
    const sql: Guarantee = { ...redis, fencing: 'counter' };
    expect(outcome(sql, 'mysql', crash, herd('safe'))).toBe('done');
    expect(outcome(sql, 'mysql', crash, herd('unknown'))).toBe('unknown');
    expect(outcome(sql, 'mysql', late, herd('unknown'))).toBe('notAsExpected');
  });

  it('of what could not be run fail nothing, and are said not to have been examined', () => {
    const herd: Result = { ...result('herd', {}), verdict: 'not-run', reason: 'etcd is not installed.' };
    expect(outcomeOfClaims(claims({ ...redis, fencing: 'counter' }, 'mysql', crash, herd))).toBe('done');
    const subjects = [
      { name: 'x', server: 'etcd', origin: 'holdfast' },
      { name: 'setnx', server: 'redis', origin: 'by-hand' },
    ] as const;
    const notExamined = unexamined({ subjects, results: [herd] });
    expect(notExamined).toEqual([{ subject: 'x', reason: 'etcd is not installed.' }]);
    expect(claimLines([], notExamined, picocolors.createColors(false), 110, speechIn('en')).slice(1)).toEqual([
      '',
      'x',
      '  not run       etcd is not installed.',
    ]);
  });

  it('are those of the locks that were run', () => {
    const run = { subjects: [{ name: 'x', server: 'redis', origin: 'holdfast' as const }], results: [crash] };
    expect(claimsOf(run)).toEqual([]);
  });

  it('are told in both languages', () => {
    const kept = result('clock-kept', { lockKept: true });
    const all = [...claims(redis, 'redis', crash), ...claims(etcd, 'etcd', crash, kept), ...claims(none, 'mysql')];
    expect(all.map(({ says }) => says).filter((says) => !isKnown(says))).toEqual([]);
    const lines = claimLines(all.slice(0, 1), [], picocolors.createColors(false), 110, speechIn('en'));
    expect(lines).toEqual([
      'What our locks state about themselves, and what was found',
      '',
      'x',
      '  confirmed     the lock of a killed holder is free: after-ttl. crash: free after 100 ms with a TTL of 3.00 s.',
    ]);
  });
});
