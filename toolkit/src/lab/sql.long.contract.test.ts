import { beforeEach, describe, expect, it } from 'vitest';
import { RUN_LIMIT_MS } from './checkup.testing.ts';
import { needsDatabases } from './databases.testing.ts';
import { whyNoLine } from './servers/line.ts';
import { verdicts, wholeCheckup } from './whole-checkup.testing.ts';

beforeEach(needsDatabases);

describe('a longer check-up of locks on databases', { timeout: RUN_LIMIT_MS }, () => {
  it('finds what a pause does to a lock that is a session, and to one with a token', async () => {
    const results = await wholeCheckup('pause', '--subject', 'pg-advisory', '--subject', 'holdfast:mysql');
    expect(verdicts(results)).toEqual(['pause pg-advisory unsafe', 'pause holdfast:mysql safe']);
    expect(results[0]?.figures.staleWritesAccepted).toBeGreaterThan(0);
    expect(results[1]?.figures).toMatchObject({ staleWritesPastGuard: 0 });
    expect(results[1]?.figures.staleWritesRefused).toBeGreaterThan(0);
  });

  it('finds that a session of ours ends when its network is cut, and that its holder knows it before', async () => {
    const results = await wholeCheckup(
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

  it('finds what a line that is really cut does to a session, with a limit and without, idle or with an answer on it', async (context) => {
    const missing = whyNoLine();
    if (missing !== undefined) context.skip(missing);
    const subjects = ['pg-advisory', 'pg-advisory+tcp', 'holdfast:postgres-session', 'holdfast:mysql-session'];
    const args = subjects.flatMap((name) => ['--subject', name]);
    const results = await wholeCheckup('silent-cut-line', 'silent-cut-answer', ...args);
    expect(verdicts(results)).toEqual(
      ['silent-cut-line', 'silent-cut-answer'].flatMap((id) =>
        subjects.map((name) => `${id} ${name} ${name === 'pg-advisory' ? 'unsafe' : 'safe'}`),
      ),
    );
    for (const { subject, figures } of results) {
      if (subject === 'pg-advisory') expect(figures.recoveryMs).toBeUndefined();
      else expect(figures.recoveryMs).toBeGreaterThan(10_000);
    }
  });

  it('finds that who is cut off from a database knows it in time, whatever of its way is cut', async () => {
    const subjects = ['holdfast:postgres', 'holdfast:mysql'];
    const args = ['--ttl', '2s', ...subjects.flatMap((name) => ['--subject', name])];
    const results = (await wholeCheckup('partition', ...args)).filter(({ verdict }) => verdict !== 'not-run');
    expect(verdicts(results)).toEqual(
      ['partition', 'partition-answers', 'partition-requests', 'partition-slow'].flatMap((id) =>
        subjects.map((name) => `${id} ${name} safe`),
      ),
    );
    for (const { figures } of results) {
      expect(figures.marginMs).toBeGreaterThanOrEqual(0);
      expect(figures.staleWritesRefused).toBeGreaterThan(0);
    }
  });
});
