import { describe, expect, it } from 'vitest';
import type { ServerPrograms } from '../../lab/servers/find-server.ts';
import { BACKEND_IDS } from '../backends.ts';
import { planBench, settingsOf } from './plan.ts';

const there = { file: '/usr/bin/a-server', jar: '/a.jar' };
const all: ServerPrograms = {
  redis: there,
  redlock: there,
  etcd: there,
  zookeeper: there,
  postgres: there,
  mysql: there,
};
const withoutEtcd: ServerPrograms = {
  ...all,
  etcd: { missing: 'etcd is not installed. To install it: npm run setup' },
};
const peer = { given: 'peers/lock.mjs', file: '/peers/lock.mjs', name: 'npm:lock', server: 'redis' } as const;

const idsOf = (plan: ReturnType<typeof planBench>): string[] => plan.planned.map(({ backend }) => backend.id);

describe('what is measured', () => {
  it('is everything where nothing is named, and what cannot run here says what installs it', () => {
    expect(idsOf(planBench([], [], all))).toEqual([...BACKEND_IDS]);
    const plan = planBench([], [], withoutEtcd);
    expect(idsOf(plan)).not.toContain('etcd');
    expect(plan.notRun.map(({ name }) => name)).toEqual(['etcd', 'etcd-3']);
    expect(plan.notRun[0]?.reason).toContain('npm run setup');
  });

  it('is what is named, in the order of the tables', () => {
    expect(idsOf(planBench(['redis', 'memory'], [], all))).toEqual(['memory', 'redis']);
    expect(() => planBench(['mongo'], [], all)).toThrow('There is no backend "mongo". There are memory, sqlite,');
  });

  it('is ours and the bare commands, and ours alone where there are none', () => {
    const [memory, redis] = planBench(['memory', 'redis'], [], all).planned;
    expect(memory?.subjects.map(({ name }) => name)).toEqual(['holdfast']);
    expect(redis?.subjects.map(({ name }) => name)).toEqual(['holdfast', 'raw']);
  });

  it('is, with a lock of somebody else, the backend that it needs', () => {
    const { planned } = planBench([], [peer], all);
    expect(planned.map(({ backend }) => backend.id)).toEqual(['redis']);
    expect(planned[0]?.subjects.at(-1)).toEqual({ name: 'npm:lock', how: 'peers/lock.mjs', id: { file: peer.file } });
    expect(idsOf(planBench([], [{ ...peer, server: 'none' }], all))).toEqual(['sqlite']);
    expect(() => planBench(['etcd'], [peer], all)).toThrow('npm:lock needs redis, which is not among what was named.');
    const { planned: onSqlite, notRun } = planBench(
      ['sqlite'],
      [{ ...peer, name: 'npm:file', server: 'none' }, peer],
      all,
    );
    expect(onSqlite[0]?.subjects.at(-1)?.name).toBe('npm:file');
    expect(notRun).toEqual([{ name: 'npm:lock', reason: 'It needs redis, which is not among what was named.' }]);
    expect(() => planBench([], [{ ...peer, name: 'raw' }], all)).toThrow('Two subjects are called "raw".');
  });
});

it('the number of rounds is a whole number', () => {
  expect(settingsOf({ rounds: '3' })).toMatchObject({ rounds: 3, heldRounds: 1 });
  expect(settingsOf({ quick: true }).rounds).toBeLessThan(settingsOf({}).rounds);
  for (const rounds of ['0', '1.5', 'many']) expect(() => settingsOf({ rounds })).toThrow('--rounds must be');
});
