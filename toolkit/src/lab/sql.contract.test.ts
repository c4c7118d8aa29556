import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CheckupRun, RUN_LIMIT_MS } from './checkup.testing.ts';
import type { Result, Run } from './result.ts';
import { findPgBouncer, findServers } from './servers/find-server.ts';

beforeEach(({ skip }) => {
  const { postgres, mysql } = findServers();
  for (const program of [postgres, mysql, findPgBouncer()]) if ('missing' in program) skip(program.missing);
});

const runs: CheckupRun[] = [];
afterEach(() => {
  for (const run of runs.splice(0)) run.dispose();
});

/** The results of a whole check-up, which must have been as expected. */
async function checkup(...args: string[]): Promise<readonly Result[]> {
  const run = new CheckupRun([...args, '--json', 'run.json']);
  runs.push(run);
  const { code, stdout, stderr } = await run.ended;
  expect(code, stdout + stderr).toBe(0);
  await run.leavesNothing();
  return (JSON.parse(readFileSync(path.join(run.folder, 'run.json'), 'utf8')) as Run).results;
}

function verdicts(results: readonly Result[]): string[] {
  return results.map(({ experiment, subject, verdict }) => `${experiment} ${subject} ${verdict}`);
}

describe('a check-up of locks on databases', { timeout: RUN_LIMIT_MS }, () => {
  it('finds what is stuck, what comes free at once, and what after its TTL', async () => {
    const subjects = ['table-row', 'get-lock', 'holdfast:postgres-session', 'holdfast:mysql'];
    const results = await checkup('crash', '--ttl', '1s', ...subjects.flatMap((name) => ['--subject', name]));
    expect(verdicts(results)).toEqual([
      'crash table-row unsafe',
      'crash get-lock safe',
      'crash holdfast:postgres-session safe',
      'crash holdfast:mysql safe',
    ]);
    expect(results[0]?.checks.find(({ checker }) => checker === 'recovery')?.verdict).toBe('unsafe');
    expect(results[3]?.figures.recoveryMs).toBeGreaterThan(500);
  });

  it('finds that a session lock is given to everybody behind a pooler, and a lease row to one', async () => {
    const results = await checkup('pooler', '--subject', 'pg-advisory', '--subject', 'holdfast:postgres');
    expect(verdicts(results)).toEqual(['pooler pg-advisory unsafe', 'pooler holdfast:postgres safe']);
    expect(results[0]?.figures.grantsWhileHeld).toBeGreaterThan(1);
    expect(results[0]?.figures.lostUpdates).toBeGreaterThan(0);
    expect(results[1]?.figures.overlapMs).toBe(0);
  });
});
