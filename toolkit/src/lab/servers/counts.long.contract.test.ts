import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Reaper } from '../reaper.ts';
import { until } from '../until.ts';
import { startEtcd } from './etcd.ts';
import { findServers } from './find-server.ts';
import { hasEnded, kill } from './member.ts';
import { startZooKeeper } from './zookeeper.ts';

const programs = findServers();

describe('what servers have done', { timeout: 120_000 }, () => {
  it.for(['etcd', 'zookeeper'] as const)('is no sum without one that does not say: %s', async (kind, context) => {
    const program = programs[kind];
    if ('missing' in program) return context.skip(program.missing);
    const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-test-'));
    const reaper = await Reaper.start();
    onTestFinished(async () => {
      await reaper.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const ensemble =
      kind === 'etcd'
        ? await startEtcd({ reaper, folder, members: 1, program: program.file })
        : await startZooKeeper({ reaper, folder, members: 1, java: program.file, jar: program.jar ?? '' });
    expect((await ensemble.counts()).requests).toBeGreaterThan(0);
    for (const { process } of ensemble.members) {
      kill(process);
      await until('The end of the server', () => hasEnded(process), { limitMs: 10_000 });
    }
    await expect(ensemble.counts()).rejects.toThrow();
  });
});
