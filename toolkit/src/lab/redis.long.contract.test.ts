import { beforeEach, describe, expect, it } from 'vitest';
import { RUN_LIMIT_MS } from './checkup.testing.ts';
import type { Figures } from './result.ts';
import { findServers, findStrace } from './servers/find-server.ts';
import { wholeCheckup } from './whole-checkup.testing.ts';

beforeEach((context) => {
  if (process.platform !== 'linux')
    context.skip('What a run leaves behind is looked up in /proc, which only Linux has.');
  for (const program of [findServers().redis, findStrace()]) if ('missing' in program) context.skip(program.missing);
});

/** What became of the lock, by `experiment subject`. */
async function fates(ids: readonly string[], subjects: readonly string[]): Promise<Record<string, string>> {
  const results = await wholeCheckup(...ids, ...subjects.flatMap((name) => ['--subject', name]));
  const ran = results.filter(({ verdict }) => verdict !== 'not-run');
  return Object.fromEntries(
    ran.map(({ experiment, subject, verdict, figures }) => [
      `${experiment} ${subject}`,
      `${fate(figures)}, ${verdict}`,
    ]),
  );
}

function fate({ lockRefused, lockKept }: Figures): string {
  if (lockRefused) return 'refused';
  return lockKept ? 'kept' : 'lost';
}

describe('a check-up of locks on Redis that fails over or restarts', { timeout: RUN_LIMIT_MS }, () => {
  it('shows what an acknowledgement proves, and what it does not', async () => {
    const subjects = ['setnx', 'holdfast:redis', 'holdfast:redis+wait'];
    expect(await fates(['replica', 'cluster-failover'], subjects)).toEqual({
      'replica-in-step setnx': 'kept, safe',
      'replica-in-step holdfast:redis': 'kept, safe',
      'replica-in-step holdfast:redis+wait': 'kept, safe',
      'replica-preferred setnx': 'lost, unsafe',
      'replica-preferred holdfast:redis': 'lost, safe',
      'replica-preferred holdfast:redis+wait': 'lost, safe',
      'replica-unnoticed setnx': 'lost, unsafe',
      'replica-unnoticed holdfast:redis': 'lost, safe',
      'replica-unnoticed holdfast:redis+wait': 'refused, safe',
      'replica-clock setnx': 'lost, unsafe',
      'replica-clock holdfast:redis': 'lost, safe',
      'replica-clock holdfast:redis+wait': 'lost, safe',
      // The limit of tokens that are a server's time: they go back, and no guard helps.
      'replica-clock-behind setnx': 'lost, unsafe',
      'replica-clock-behind holdfast:redis': 'lost, unsafe',
      'replica-clock-behind holdfast:redis+wait': 'refused, safe',
      'cluster-failover holdfast:redis': 'lost, safe',
      'cluster-failover holdfast:redis+wait': 'refused, safe',
    });
  });

  it('refuses a lock that not all have who can be promoted', async () => {
    expect(await fates(['replica-preferred'], ['holdfast:redis+wait2'])).toEqual({
      'replica-preferred holdfast:redis+wait2': 'refused, safe',
    });
  });

  it('shows what a restart does, by how the server keeps its data', async () => {
    const ids = ['none', 'rdb', 'aof', 'power-cut', 'slow-disk'].map((how) => `persistence-${how}`);
    expect(await fates(ids, ['holdfast:redis'])).toEqual({
      'persistence-none holdfast:redis': 'lost, safe',
      'persistence-rdb holdfast:redis': 'lost, safe',
      'persistence-aof holdfast:redis': 'kept, safe',
      'persistence-aof-always holdfast:redis': 'kept, safe',
      'persistence-power-cut holdfast:redis': 'lost, safe',
      'persistence-power-cut-always holdfast:redis': 'kept, safe',
      'persistence-slow-disk holdfast:redis': 'lost, safe',
    });
  });
});
