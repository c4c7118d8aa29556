import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { granted, history as historyOf, reads, writes } from './checkers/hand-written.testing.ts';
import crash from './experiments/crash.ts';
import type { History } from './history.ts';
import { judge } from './judge.ts';
import { judgeAgain } from './judge-again.ts';
import { readRun } from './store.ts';
import { packHistory, unpackHistory } from './stored-history.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const seen = historyOf(
  granted('A1', 0),
  reads(1, 1, 'A1', 0),
  writes(2, 2, 'A1', { open: [0, 1] }),
  granted('B1', 10),
  reads(3, 11, 'B1', 1),
  writes(4, 12, 'B1', { open: [1, 2] }),
  writes(5, 13, 'A1', { open: [1, 3] }),
);

function textOf({ entries }: History): string {
  return entries.map(({ at: _, ...line }) => `${JSON.stringify(line)}\n`).join('');
}

describe('a history inside run.json', () => {
  it('is the same when it is unpacked', () => {
    const packed = packHistory(textOf(seen));
    expect(packed?.lines).toBe(seen.entries.length);
    expect(packed && unpackHistory(packed)).toEqual(seen);
  });

  it('is left out where it is too long', () => {
    expect(packHistory('x'.repeat(2_000_001))).toBeUndefined();
  });
});

describe('a stored result', () => {
  const judged = judge({ experiment: crash, subject: { name: 'setnx' }, expected: 'safe' }, seen);
  const history = packHistory(textOf(seen));
  if (!history) throw new Error('It is too long.');

  it('is judged again as it was judged before', () => {
    const stored = { ...judged, history };
    expect(judgeAgain(stored)).toEqual(stored);
  });

  it('is judged by its history and not by what was written about it', () => {
    const changed = judgeAgain({ ...judged, verdict: 'safe', figures: {}, checks: [], evidence: [], history });
    expect(changed).toEqual({ ...judged, history });
    expect(changed.verdict).toBe('unsafe');
  });

  it('stays as it is without a history, or when its experiment is unknown', () => {
    expect(judgeAgain(judged)).toBe(judged);
    const foreign = { ...judged, experiment: 'from-a-later-version', history };
    expect(judgeAgain(foreign)).toBe(foreign);
  });
});

describe('a file that is to be judged', () => {
  it.each([
    ['no JSON', '{', /is not JSON/],
    ['something else', '{"results":[]}', /has no "version": 1/],
    ['nothing at all', 'null', /has no "version": 1/],
  ])('is refused when it is %s', (_, text, message) => {
    const file = path.join(folder, 'run.json');
    writeFileSync(file, text);
    expect(() => readRun(file)).toThrow(message);
  });

  it('is refused when it is not there', () => {
    expect(() => readRun(path.join(folder, 'nothing.json'))).toThrow(/cannot be read/);
  });
});
