import { describe, expect, it } from 'vitest';
import { closingLine, objection, type Skip, skipsByReason } from './closing-line.ts';

const skip = (test: string, reason: string): Skip => ({ test, reason });

describe('the closing line', () => {
  it('says how many passed and failed', () => {
    expect(closingLine({ passed: 12, failed: 0, skips: [] })).toBe('12 passed, 0 failed');
  });

  it('names skips only when there are some', () => {
    expect(closingLine({ passed: 1, failed: 2, skips: [skip('a', 'b')] })).toBe('1 passed, 2 failed, 1 skipped');
  });

  it('groups the skips by their reason, the most frequent first', () => {
    const skips = [skip('one', 'no strace'), skip('two', 'no server'), skip('three', 'no server')];
    expect(skipsByReason(skips)).toEqual([
      '2 skipped: no server',
      '    two',
      '    three',
      '1 skipped: no strace',
      '    one',
    ]);
  });

  it('lists a few tests of each reason and counts the others', () => {
    const skips = Array.from({ length: 7 }, (_, index) => skip(`test ${index}`, 'no server'));
    expect(skipsByReason(skips, 2)).toEqual(['7 skipped: no server', '    test 0', '    test 1', '    and 5 more']);
  });

  it('objects to a run that executed nothing, even if tests were skipped', () => {
    expect(objection({ passed: 0, failed: 0, skips: [skip('a', 'b')] }, false)).toMatch(/No test was executed/);
  });

  it('objects to skips only where they are forbidden', () => {
    const outcome = { passed: 3, failed: 0, skips: [skip('a', 'b')] };
    expect(objection(outcome, false)).toBeUndefined();
    expect(objection(outcome, true)).toMatch(/1 tests were skipped/);
    expect(objection({ ...outcome, skips: [] }, true)).toBeUndefined();
  });
});
