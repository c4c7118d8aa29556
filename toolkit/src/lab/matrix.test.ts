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
    expect(matrixLines(results, paint, 25)).toEqual([
      '         crash     pause     failover',
      'setnx    safe      unsafe    unknown',
      'my-lock  safe      unsafe !  -',
    ]);
  });
});
