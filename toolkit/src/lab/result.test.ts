import { describe, expect, it } from 'vitest';
import { type Check, type CheckerId, conclude, outcomeOf, type Result, type Verdict } from './result.ts';

const rule = { needsExposure: true, needsRecovery: false };

/** All checks of a run in which nothing went wrong with a lock that has tokens, and what is different. */
function checks(different: Partial<Record<CheckerId, Verdict>> = {}): Check[] {
  const verdicts: Record<CheckerId, Verdict> = {
    sanity: 'safe',
    exposure: 'safe',
    'mutual-exclusion': 'safe',
    'fencing-order': 'safe',
    'open-register': 'safe',
    'guarded-register': 'safe',
    recovery: 'safe',
    'hand-over': 'safe',
    service: 'safe',
    queue: 'safe',
    distance: 'safe',
    survival: 'unsafe',
    ...different,
  };
  return Object.entries(verdicts).map(([checker, verdict]) => ({
    checker: checker as CheckerId,
    verdict,
    evidence: [`${checker} is ${verdict}.`],
  }));
}

const withoutTokens = { 'fencing-order': 'not-run', 'guarded-register': 'not-run' } as const;

describe('the verdict of a lock with tokens', () => {
  it('is that of the guarded register, whatever happened to the open one', () => {
    expect(conclude(checks({ 'open-register': 'unsafe' }), rule).verdict).toBe('safe');
    expect(conclude(checks({ 'guarded-register': 'unsafe' }), rule).verdict).toBe('unsafe');
  });

  it('is safe although there were two holders at once: the guard has saved the data', () => {
    expect(conclude(checks({ 'mutual-exclusion': 'unsafe', 'open-register': 'unsafe' }), rule).verdict).toBe('safe');
  });

  it('is that of the open register when the tokens were out of order, for then no guard can rely on them', () => {
    const broken = conclude(checks({ 'fencing-order': 'unsafe', 'open-register': 'unsafe' }), rule);
    expect(broken).toEqual({ verdict: 'unsafe', reason: 'fencing-order is unsafe. open-register is unsafe.' });
    expect(conclude(checks({ 'fencing-order': 'unsafe' }), rule).verdict).toBe('safe');
  });

  it('is unknown when the order of the tokens is', () => {
    expect(conclude(checks({ 'fencing-order': 'unknown' }), rule).verdict).toBe('unknown');
  });
});

describe('the verdict of a lock without tokens', () => {
  it('is that of the open register', () => {
    expect(conclude(checks(withoutTokens), rule).verdict).toBe('safe');
    expect(conclude(checks({ ...withoutTokens, 'open-register': 'unsafe' }), rule).verdict).toBe('unsafe');
    expect(conclude(checks({ ...withoutTokens, 'open-register': 'unknown' }), rule).verdict).toBe('unknown');
  });
});

describe('a verdict', () => {
  it('is unknown when the run is void, whatever the other checks say', () => {
    expect(conclude(checks({ sanity: 'unknown', 'guarded-register': 'unsafe' }), rule)).toEqual({
      verdict: 'unknown',
      reason: 'sanity is unknown.',
    });
  });

  it('is unknown without the proof that damage could have happened, where the experiment asks for that', () => {
    expect(conclude(checks({ exposure: 'unknown' }), rule).verdict).toBe('unknown');
    expect(conclude(checks({ exposure: 'unknown' }), { ...rule, needsExposure: false }).verdict).toBe('safe');
  });

  it('is safe without that proof where the lock was kept or refused, for then nobody was made stale', () => {
    const kept = { survival: 'safe', exposure: 'unknown', 'fencing-order': 'unknown' } as const;
    expect(conclude(checks(kept), rule)).toEqual({ verdict: 'safe', reason: 'survival is safe.' });
    expect(conclude(checks({ ...kept, 'guarded-register': 'unsafe', 'open-register': 'unsafe' }), rule).verdict).toBe(
      'unsafe',
    );
    expect(conclude(checks({ ...kept, survival: 'unknown', 'fencing-order': 'safe' }), rule).verdict).toBe('unknown');
  });

  it('says that the rival never got the lock, where that is why nothing could be damaged', () => {
    const { reason } = conclude(checks({ exposure: 'unknown', recovery: 'unsafe' }), rule);
    expect(reason).toBe('recovery is unsafe.');
  });

  it('is unsafe where a lock that was given back did not come free, if the experiment asks for that', () => {
    const asked = { ...rule, needsHandOver: true } as const;
    const stuck = checks({ 'hand-over': 'unsafe' });
    expect(conclude(stuck, asked)).toEqual({ verdict: 'unsafe', reason: 'hand-over is unsafe.' });
    expect(conclude(checks({ 'hand-over': 'unknown' }), asked).verdict).toBe('unknown');
    expect(conclude(stuck, rule).verdict).toBe('safe');
  });

  it('says what became of the lock, where nobody was made stale', () => {
    const { verdict, reason } = conclude(
      checks({ exposure: 'unknown', survival: 'unknown', recovery: 'not-run' }),
      rule,
    );
    expect({ verdict, reason }).toEqual({ verdict: 'unknown', reason: 'survival is unknown.' });
  });

  it('is unsafe where two held at once, if the experiment asks for that, whatever the guard has saved', () => {
    const asked = { ...rule, needsExclusion: true } as const;
    const two = checks({ 'mutual-exclusion': 'unsafe' });
    expect(conclude(two, asked)).toEqual({ verdict: 'unsafe', reason: 'mutual-exclusion is unsafe.' });
    expect(conclude(two, rule).verdict).toBe('safe');
    expect(conclude(checks({ 'mutual-exclusion': 'unknown' }), asked).verdict).toBe('unknown');
  });

  it('is unsafe where the order of a queue is asked for, was promised, and was not kept', () => {
    const asked = { ...rule, needsOrder: true } as const;
    expect(conclude(checks({ queue: 'unsafe' }), asked)).toEqual({ verdict: 'unsafe', reason: 'queue is unsafe.' });
    expect(conclude(checks({ queue: 'unknown' }), asked).verdict).toBe('unknown');
    expect(conclude(checks({ queue: 'not-run' }), asked).verdict).toBe('safe');
    expect(conclude(checks({ queue: 'unsafe' }), rule).verdict).toBe('safe');
  });

  it('is unsafe when damage was seen, with or without the proof that it could happen', () => {
    expect(conclude(checks({ exposure: 'unknown', 'guarded-register': 'unsafe' }), rule).verdict).toBe('unsafe');
  });

  it('is unsafe when a lock does not come free again, where the experiment asks for that', () => {
    const afterCrash = { needsExposure: false, needsRecovery: true };
    expect(conclude(checks({ recovery: 'unsafe' }), afterCrash).verdict).toBe('unsafe');
    expect(conclude(checks({ recovery: 'unknown' }), afterCrash).verdict).toBe('unknown');
    expect(conclude(checks({ recovery: 'unsafe' }), rule).verdict).toBe('safe');
  });

  it('is unknown when a check is missing', () => {
    expect(conclude([], rule).verdict).toBe('unknown');
    expect(
      conclude(
        checks().filter(({ checker }) => checker !== 'guarded-register'),
        rule,
      ).verdict,
    ).toBe('unknown');
  });
});

describe('the outcome of a run', () => {
  const result = (verdict: Verdict, expected: Verdict): Result => ({
    experiment: 'x',
    subject: 'y',
    verdict,
    expected,
    figures: {},
    checks: [],
    evidence: [],
  });

  it('is good when everything is as expected, unsafe where that is the truth included', () => {
    expect(outcomeOf([result('unsafe', 'unsafe'), result('safe', 'safe'), result('not-run', 'safe')])).toBe('done');
  });

  it('is good when nothing could be run', () => {
    expect(outcomeOf([result('not-run', 'unsafe')])).toBe('done');
  });

  it('is bad when one verdict is not as expected, even if it is better', () => {
    expect(outcomeOf([result('safe', 'safe'), result('safe', 'unsafe')])).toBe('notAsExpected');
    expect(outcomeOf([result('unknown', 'safe'), result('unsafe', 'safe')])).toBe('notAsExpected');
  });

  it('is unknown when that is the worst of it', () => {
    expect(outcomeOf([result('unknown', 'safe'), result('safe', 'safe')])).toBe('unknown');
  });
});
