import { beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { RUN_LIMIT_MS } from './checkup.testing.ts';
import { whyNoClock } from './faults/process-clock.ts';
import type { Result } from './result.ts';
import { findServers, findStrace } from './servers/find-server.ts';
import { wholeCheckup } from './whole-checkup.testing.ts';

beforeEach((context) => {
  if (process.platform !== 'linux')
    context.skip('What a run leaves behind is looked up in /proc, which only Linux has.');
});

function needs(context: TestContext, ...kinds: ('etcd' | 'zookeeper' | 'strace')[]): void {
  const programs = { ...findServers(), strace: findStrace() };
  for (const kind of kinds) {
    const program = programs[kind];
    if ('missing' in program) context.skip(program.missing);
  }
}

/** The results by `experiment subject`. */
async function results(args: readonly string[]): Promise<ReadonlyMap<string, Result>> {
  const all = await wholeCheckup(...args);
  return new Map(all.map((result) => [`${result.experiment} ${result.subject}`, result]));
}

const figures = (found: ReadonlyMap<string, Result>, which: string): Result['figures'] =>
  found.get(which)?.figures ?? {};

describe('a check-up of locks on etcd', { timeout: RUN_LIMIT_MS }, () => {
  it('shows what a killed, a stopped and a cut-off holder do, and a lock that is given back', async (context) => {
    needs(context, 'etcd');
    const args = ['--subject', 'holdfast:etcd', '--subject', 'etcd-naive', '--ttl', '2s'];
    const found = await results(['crash', 'pause', 'partition', 'etcd-lease', ...args]);
    expect([...found].map(([which, { verdict }]) => `${which} ${verdict}`)).toEqual([
      'crash holdfast:etcd safe',
      'crash etcd-naive safe',
      'pause holdfast:etcd safe',
      'pause etcd-naive unsafe',
      'partition holdfast:etcd safe',
      'partition etcd-naive unsafe',
      'partition-answers holdfast:etcd safe',
      'partition-answers etcd-naive unsafe',
      'partition-requests holdfast:etcd safe',
      'partition-requests etcd-naive unsafe',
      'partition-slow holdfast:etcd safe',
      'partition-slow etcd-naive not-run',
      'etcd-lease holdfast:etcd safe',
      'etcd-lease etcd-naive safe',
    ]);
    // Given back it is free at once; left by a killed holder, not before its lease has run out.
    const lease = figures(found, 'etcd-lease holdfast:etcd');
    expect(lease.handOverMs).toBeLessThan(1_000);
    expect(lease.recoveryMs).toBeGreaterThan(1_000);
    const cutOff = figures(found, 'partition holdfast:etcd');
    expect(cutOff).toMatchObject({ overlapMs: 0, staleWritesPastGuard: 0, tokensInOrder: true });
    expect(cutOff.marginMs).toBeGreaterThan(0);
    expect(figures(found, 'partition etcd-naive').falseBeliefMs).toBeGreaterThan(0);
  });

  it('keeps a held lock over the death of the leader, and wakes one waiter for each release', async (context) => {
    needs(context, 'etcd');
    const found = await results(['herd-8', 'herd-100', 'etcd-leader', '--subject', 'holdfast:etcd']);
    for (const experiment of ['herd-8-in-8', 'herd-100-in-8']) {
      expect(figures(found, `${experiment} holdfast:etcd`)).toMatchObject({ inversions: 0, wakeUpsPerRelease: 1 });
    }
    expect(figures(found, 'etcd-leader holdfast:etcd').lockKept).toBe(true);
    // The new leader begins to count anew: 0.6 of a TTL had passed, and a whole one follows.
    expect(figures(found, 'etcd-leader-crash holdfast:etcd').recoveryMs).toBeGreaterThan(1.6 * 3_000);
  });

  it('shows who is told when the disk of the leader hangs', async (context) => {
    needs(context, 'etcd', 'strace');
    const found = await results(['etcd-disk', '--subject', 'holdfast:etcd', '--subject', 'etcd-naive']);
    const naive = figures(found, 'etcd-disk etcd-naive');
    expect(naive.falseBeliefMs).toBeGreaterThan(0);
    expect(naive.staleWritesAccepted).toBeGreaterThan(0);
    const ours = figures(found, 'etcd-disk holdfast:etcd');
    expect(ours).toMatchObject({ overlapMs: 0, staleWritesPastGuard: 0 });
    expect(ours.staleWritesRefused).toBeGreaterThan(0);
  });
});

describe('a check-up of locks on ZooKeeper', { timeout: RUN_LIMIT_MS }, () => {
  it('shows what a killed, a stopped and a cut-off holder do, and what the death of a leader does', async (context) => {
    needs(context, 'zookeeper');
    const args = ['--subject', 'holdfast:zookeeper', '--ttl', '2s'];
    const found = await results(['crash', 'pause', 'partition', 'herd-8', 'herd-100-in-8', 'zk-session', ...args]);
    expect([...found].map(([which, { verdict }]) => `${which} ${verdict}`)).toEqual([
      'crash holdfast:zookeeper safe',
      'pause holdfast:zookeeper safe',
      'herd-8-in-8 holdfast:zookeeper safe',
      'herd-100-in-8 holdfast:zookeeper safe',
      'partition holdfast:zookeeper safe',
      'partition-answers holdfast:zookeeper safe',
      'partition-requests holdfast:zookeeper safe',
      'partition-slow holdfast:zookeeper safe',
      'zk-session holdfast:zookeeper safe',
      'zk-session-crash holdfast:zookeeper safe',
    ]);
    for (const experiment of ['herd-8-in-8', 'herd-100-in-8']) {
      expect(figures(found, `${experiment} holdfast:zookeeper`)).toMatchObject({ inversions: 0, wakeUpsPerRelease: 1 });
    }
    expect(figures(found, 'partition holdfast:zookeeper').marginMs).toBeGreaterThan(0);
    expect(figures(found, 'zk-session holdfast:zookeeper').lockKept).toBe(true);
    expect(figures(found, 'zk-session-crash holdfast:zookeeper').recoveryMs).toBeGreaterThan(1.6 * 2_000);
  });
});

describe('a check-up of locks that no date ends', { timeout: RUN_LIMIT_MS }, () => {
  it('shows that they are kept when the date of their server jumps', async (context) => {
    needs(context, 'etcd', 'zookeeper');
    const reason = whyNoClock(process.platform);
    if (reason !== undefined) context.skip(reason);
    const names = [
      'holdfast:etcd',
      'holdfast:zookeeper',
      ...('missing' in findServers().postgres ? [] : ['holdfast:postgres-session']),
    ];
    const found = await results(['clock-kept', ...names.flatMap((name) => ['--subject', name])]);
    for (const name of names) expect(figures(found, `clock-kept ${name}`).lockKept).toBe(true);
  });
});
