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

describe('a longer check-up of locks on databases', { timeout: RUN_LIMIT_MS }, () => {
  it('finds what a pause does to a lock that is a session, and to one with a token', async () => {
    const results = await checkup('pause', '--subject', 'pg-advisory', '--subject', 'holdfast:mysql');
    expect(verdicts(results)).toEqual(['pause pg-advisory unsafe', 'pause holdfast:mysql safe']);
    expect(results[0]?.figures.staleWritesAccepted).toBeGreaterThan(0);
    expect(results[1]?.figures).toMatchObject({ staleWritesPastGuard: 0 });
    expect(results[1]?.figures.staleWritesRefused).toBeGreaterThan(0);
  });

  it('finds that a session of ours ends when its network is cut, and that its holder knows it before', async () => {
    const results = await checkup(
      'silent-cut',
      '--subject',
      'holdfast:mysql-session',
      '--subject',
      'holdfast:postgres-session',
    );
    expect(results.map(({ verdict }) => verdict)).toEqual(['safe', 'safe']);
    for (const { figures, checks } of results) {
      expect(figures.recoveryMs).toBeGreaterThan(10_000);
      expect(checks.find(({ checker }) => checker === 'mutual-exclusion')?.verdict).toBe('safe');
    }
  });
});
