import { beforeEach, describe, expect, it } from 'vitest';
import { RUN_LIMIT_MS } from './checkup.testing.ts';
import { needsDatabases } from './databases.testing.ts';
import type { Result } from './result.ts';
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

  /** A line of the network is cut where that can be done. */
  const cuts = whyNoLine() === undefined ? ['silent-cut', 'silent-cut-line', 'silent-cut-answer'] : ['silent-cut'];

  const cutSilently = async (...subjects: readonly string[]): Promise<readonly Result[]> => {
    const results = await wholeCheckup('silent-cut', ...subjects.flatMap((name) => ['--subject', name]));
    return results.filter(({ experiment }) => cuts.includes(experiment));
  };

  it('finds that a session of ours ends when its network is cut, and that its holder knows it before', async () => {
    const subjects = ['holdfast:mysql-session', 'holdfast:postgres-session'];
    const results = await cutSilently(...subjects);
    expect(verdicts(results)).toEqual(cuts.flatMap((id) => subjects.map((name) => `${id} ${name} safe`)));
    for (const { figures, checks } of results) {
      expect(figures.recoveryMs).toBeGreaterThan(10_000);
      expect(checks.find(({ checker }) => checker === 'mutual-exclusion')?.verdict).toBe('safe');
    }
  });

  it('finds that limits of TCP alone free a session on a line that is cut, and not behind what acknowledges for it', async () => {
    const results = await cutSilently('pg-advisory', 'pg-advisory+tcp');
    expect(verdicts(results)).toEqual(
      cuts.flatMap((id) => [
        `${id} pg-advisory unsafe`,
        `${id} pg-advisory+tcp ${id === 'silent-cut' ? 'unsafe' : 'safe'}`,
      ]),
    );
    for (const { verdict, figures } of results) {
      if (verdict === 'unsafe') expect(figures.recoveryMs).toBeUndefined();
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
