import picocolors from 'picocolors';
import { describe, expect, it } from 'vitest';
import { matrixLines } from './matrix.ts';
import type { Result, Verdict } from './result.ts';

const paint = picocolors.createColors(false);
const result = (experiment: string, subject: string, verdict: Verdict, expected: Verdict = verdict): Result => ({
  experiment,
  subject,
  verdict,
  expected,
  figures: {},
  checks: [],
  evidence: [],
});

describe('the matrix', () => {
  const results = [
    result('crash', 'setnx', 'safe'),
    result('crash', 'my-lock', 'safe'),
    result('pause', 'setnx', 'unsafe'),
    result('pause', 'my-lock', 'unsafe', 'safe'),
    result('failover', 'setnx', 'unknown', 'unsafe'),
    result('failover', 'my-lock', 'not-run', 'safe'),
  ];

  it('has a row for each experiment and a column for each subject, and marks what was not expected', () => {
    expect(matrixLines(results, paint, 80)).toEqual([
      '          setnx     my-lock',
      'crash     safe      safe',
      'pause     unsafe    unsafe !',
      'failover  unknown   -',
    ]);
  });

  it('is turned where the subjects do not fit side by side', () => {
    const subjects = ['setnx', 'my-lock', 'holdfast:redis'];
    const wide = subjects.map((subject) => result('crash', subject, 'safe'));
    expect(matrixLines(wide, paint, 30)).toEqual([
      '                crash',
      'setnx           safe',
      'my-lock         safe',
      'holdfast:redis  safe',
    ]);
  });

  it('is several tables where that does not fit either, each with the rows that concern it', () => {
    const partition = result('partition', 'my-lock', 'safe');
    expect(matrixLines([...results, partition], paint, 25)).toEqual([
      '          setnx',
      'crash     safe',
      'pause     unsafe',
      'failover  unknown',
      '',
      '           my-lock',
      'crash      safe',
      'pause      unsafe !',
      'failover   -',
      'partition  safe',
    ]);
  });
});
