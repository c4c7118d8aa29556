import { describe, expect, it } from 'vitest';
import { experiments } from './experiments/all.ts';
import { builtInSubjects } from './subjects/built-in.ts';
import { type ChosenSubject, type Circumstances, planTasks } from './tasks.ts';

const ours: ChosenSubject[] = builtInSubjects.map(({ name, server, followsSentinels }) => ({
  name,
  source: name,
  server,
  followsSentinels,
  isOurs: true,
}));
const theirs: ChosenSubject = {
  name: 'my-lock',
  source: '/x/my-lock.mjs',
  server: 'redis',
  followsSentinels: false,
  isOurs: false,
};
const installed: Circumstances = { platform: 'linux', redis: { file: '/usr/bin/redis-server' }, url: undefined };

const plan = (subjects: readonly ChosenSubject[], circumstances: Partial<Circumstances> = {}) =>
  planTasks(experiments, subjects, (experiment) => experiment.timing(3_000), { ...installed, ...circumstances });
const notRun = (tasks: ReturnType<typeof plan>): string[] =>
  tasks.filter((task) => task.notRun).map(({ experiment, subject }) => `${experiment.id} ${subject.name}`);

describe('the plan of a check-up', () => {
  it('has every experiment with every subject', () => {
    expect(plan(ours)).toHaveLength(experiments.length * ours.length);
  });

  it('leaves out only failovers of what has no server, when Redis is installed', () => {
    expect(notRun(plan(ours))).toEqual(['failover holdfast:sqlite', 'failover-sentinel holdfast:sqlite']);
  });

  it('runs what needs no server when Redis is missing, and says of the rest what is missing', () => {
    const tasks = plan(ours, { redis: { missing: 'redis-server is not installed.' } });
    expect(
      tasks.filter((task) => !task.notRun).map(({ experiment, subject }) => `${experiment.id} ${subject.name}`),
    ).toEqual(['crash holdfast:sqlite', 'pause holdfast:sqlite']);
    expect(tasks.find(({ subject }) => subject.name === 'setnx')?.notRun).toContain('not installed');
  });

  it('does nothing to a server of the user', () => {
    const tasks = plan([theirs], { url: 'redis://localhost', redis: { missing: 'not needed' } });
    expect(notRun(tasks)).toEqual(['failover my-lock', 'failover-sentinel my-lock']);
  });

  it('runs nothing where there are no signals to stop a process with', () => {
    expect(plan(ours, { platform: 'win32' }).every((task) => task.notRun?.includes('SIGSTOP'))).toBe(true);
  });

  it('expects of a lock of a user that it is safe, even if it is called like one of ours', () => {
    const tasks = plan([{ ...theirs, name: 'setnx' }]);
    expect(tasks.map(({ expected }) => expected)).toEqual(tasks.map(() => 'safe'));
  });

  it('expects the naive locks to fail where they do', () => {
    const expected = (subject: string) =>
      plan(ours)
        .filter((task) => task.subject.name === subject)
        .map((task) => task.expected);
    expect(expected('setnx')).toEqual(['safe', 'unsafe', 'unsafe', 'unsafe']);
    expect(expected('setnx-watchdog')).toEqual(['safe', 'unsafe', 'unsafe', 'unsafe']);
    expect(expected('holdfast:redis')).toEqual(['safe', 'safe', 'safe', 'safe']);
  });
});
