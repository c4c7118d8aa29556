import { describe, expect, it } from 'vitest';
import { experiments } from './experiments/all.ts';
import { builtInSubject, builtInSubjects } from './subjects/built-in.ts';
import { type ChosenSubject, type Circumstances, planTasks, type Task } from './tasks.ts';

const known: ChosenSubject[] = builtInSubjects.map(({ load, summary, ...subject }) => ({
  ...subject,
  source: subject.name,
  isOurs: true,
}));
const ours = known.filter(({ name }) => !builtInSubject(name)?.onlyWhenNamed);
const theirs: ChosenSubject = {
  name: 'my-lock',
  source: '/x/my-lock.mjs',
  server: 'redis',
  followsSentinels: false,
  isOurs: false,
};
const program = { file: '/usr/bin/it' };
const programs = {
  redis: program,
  redlock: program,
  etcd: program,
  zookeeper: program,
  postgres: program,
  mysql: program,
};
const missing = { missing: 'redis-server is not installed.' };
const installed: Circumstances = {
  platform: 'linux',
  programs,
  strace: program,
  pgbouncer: program,
  whyNoLine: undefined,
  isQuick: false,
  experimentsNamed: true,
  url: undefined,
};

const plan = (subjects: readonly ChosenSubject[], circumstances: Partial<Circumstances> = {}) =>
  planTasks(experiments, subjects, (experiment) => experiment.timing(3_000), { ...installed, ...circumstances });
const notRun = (tasks: ReturnType<typeof plan>): string[] =>
  tasks.filter((task) => task.notRun).map(({ experiment, subject }) => `${experiment.id} ${subject.name}`);

/** What takes place without being asked for. */
const isByDefault = ({ notRun: reason, experiment }: Task): boolean => !reason && !experiment.onlyOnDemand;

describe('the plan of a check-up', () => {
  it('has every experiment that is about any lock with every subject', () => {
    const planned = plan(ours).filter(({ experiment }) => experiment.id === 'crash');
    expect(planned.map(({ subject }) => subject.name)).toEqual(ours.map(({ name }) => name));
  });

  it('has an experiment about one kind of server only with the locks that are on it', () => {
    const planned = plan(ours).filter(({ experiment }) => experiment.id === 'zk-session');
    expect(planned.map(({ subject }) => subject.name)).toEqual(['holdfast:zookeeper']);
    expect(
      plan(ours).filter(({ experiment, subject }) => experiment.id === 'failover' && subject.server !== 'redis'),
    ).toEqual([]);
  });

  it('says why, where an experiment is about none of the chosen locks', () => {
    const tasks = plan(ours.filter(({ name }) => name === 'setnx'));
    expect(tasks.find(({ experiment }) => experiment.id === 'zk-session')?.notRun).toBe(
      'It is about zookeeper, and setnx is on redis.',
    );
  });

  it('cuts a line of the network only where that can be done, and says what it needs', () => {
    const whyNoLine = 'A line that can be cut needs root.';
    const ids = (tasks: ReturnType<typeof plan>): string[] => [
      ...new Set(tasks.flatMap(({ experiment, notRun: reason }) => (reason === whyNoLine ? [experiment.id] : []))),
    ];
    expect(ids(plan(ours, { whyNoLine }))).toEqual(['silent-cut-line', 'silent-cut-answer']);
    expect(ids(plan(ours))).toEqual([]);
  });

  it('leaves out only what makes no sense with a lock, and says why', () => {
    const tasks = plan(ours).filter(({ notRun: reason }) => reason !== undefined);
    const expected = [
      'clock holdfast:redis+wait',
      ...['table-row', 'pg-advisory', 'get-lock', 'holdfast:postgres-session', 'holdfast:mysql-session'].map(
        (name) => `clock ${name}`,
      ),
      'clock-kept holdfast:postgres',
      'clock-kept holdfast:mysql',
      'cluster-failover setnx',
      'cluster-failover setnx-watchdog',
      ...['', '-1', '-50'].map((size) => `distance${size} holdfast:redis+wait`),
      ...['holdfast:redis+wait', 'table-row', 'pg-advisory', 'get-lock'].flatMap((name) =>
        ['', '-answers', '-requests', '-slow'].map((what) => `partition${what} ${name}`),
      ),
      'partition-answers setnx-watchdog',
      'partition-slow holdfast:mysql-session',
      'partition-slow holdfast:postgres-session',
      'partition-slow etcd-naive',
      'partition-slow setnx-watchdog',
      'pause table-row',
      ...['aof', 'aof-always', 'none', 'power-cut', 'power-cut-always', 'rdb', 'slow-disk'].map(
        (how) => `persistence-${how} holdfast:redis+wait`,
      ),
      'pooler holdfast:postgres-session',
    ];
    expect(notRun(tasks).sort()).toEqual(expected.sort());
    expect(tasks.find(({ subject }) => subject.name === 'table-row')?.notRun).toContain('no limit of time');
  });

  it('asks of two replicas only where there are two', () => {
    const ran = plan(known.filter(({ name }) => name === 'holdfast:redis+wait2')).filter(
      ({ notRun: reason }) => !reason,
    );
    expect(ran.map(({ experiment }) => experiment.id)).toEqual(['replica-preferred', 'replica-clock']);
  });

  it('asks many at once only of a lock that can be asked so', () => {
    const tasks = plan([{ ...theirs, source: { command: 'python3 my_lock.py' } }]);
    const herds = tasks.filter(({ experiment }) => experiment.id.startsWith('herd'));
    expect(herds.filter((task) => !task.notRun).map(({ experiment }) => experiment.id)).toEqual([
      'herd',
      'herd-8-in-8',
    ]);
    expect(herds.at(-1)?.notRun).toContain('holds one lock at a time');
  });

  it('leaves out what takes long with a lock, where nothing was named, and says so', () => {
    const leftOut = (isQuick: boolean) =>
      plan(ours, { isQuick })
        .filter(({ notRun: reason }) => reason?.includes('to save time'))
        .map(({ experiment, subject }) => `${experiment.id} ${subject.name}`);
    expect(leftOut(false)).toEqual([]);
    const pauses = ['redis+wait', 'postgres-session', 'mysql-session'].map((name) => `pause holdfast:${name}`);
    expect(leftOut(true).filter((what) => what.startsWith('pause'))).toEqual(pauses);
  });

  it('cuts the ways of every lock of ours that a server gives, where nothing was named, but those of sessions', () => {
    const cut = plan(ours, { isQuick: true }).filter(
      (task) => isByDefault(task) && task.experiment.id.startsWith('partition') && task.subject.name.includes(':'),
    );
    expect(cut.map(({ experiment, subject }) => `${experiment.id} ${subject.name}`)).toEqual(
      ['redis', 'redlock', 'etcd', 'zookeeper', 'postgres', 'mysql'].map((name) => `partition holdfast:${name}`),
    );
  });

  it('has nothing of experiments that are about other locks, where none was named', () => {
    const tasks = plan([theirs], { experimentsNamed: false });
    expect(tasks.filter(({ notRun: reason }) => reason?.startsWith('It is about'))).toEqual([]);
    const etcd = tasks.filter(({ experiment }) => experiment.kinds && !experiment.kinds.includes('redis'));
    expect(etcd).toEqual([]);
  });

  it('leaves out what needs a PgBouncer where there is none', () => {
    const tasks = plan(ours, { pgbouncer: { missing: 'pgbouncer is not installed.' } });
    expect(
      tasks.find(({ experiment, subject }) => experiment.id === 'pooler' && subject.name === 'pg-advisory'),
    ).toMatchObject({ notRun: 'pgbouncer is not installed.' });
  });

  it('waits longer where the server needs longer, whatever the TTL is', () => {
    const patience = (name: string) => plan(ours).find(({ subject }) => subject.name === name)?.timing.patienceMs;
    expect(patience('holdfast:mysql-session')).toBeGreaterThan(15_000);
    expect(patience('holdfast:mysql')).toBeUndefined();
  });

  it('leaves out what needs a tool that is missing', () => {
    const tasks = plan(ours, { strace: { missing: 'strace is not installed.' } });
    const without = tasks.filter(({ notRun: reason }) => reason === 'strace is not installed.');
    expect(new Set(without.map(({ experiment }) => experiment.id))).toEqual(
      new Set([
        'etcd-disk',
        'etcd-disk-back',
        ...['power-cut', 'power-cut-always', 'slow-disk'].map((how) => `persistence-${how}`),
      ]),
    );
  });

  it('runs what needs no server when all are missing, and says of the rest what is missing', () => {
    const tasks = plan(ours, {
      programs: {
        redis: missing,
        redlock: missing,
        etcd: missing,
        zookeeper: missing,
        postgres: missing,
        mysql: missing,
      },
    });
    expect(tasks.filter(isByDefault).map(({ experiment, subject }) => `${experiment.id} ${subject.name}`)).toEqual(
      ['crash', 'pause', 'herd'].map((id) => `${id} holdfast:sqlite`),
    );
    expect(tasks.find(({ subject }) => subject.name === 'setnx')?.notRun).toContain('not installed');
  });

  it('does nothing to a server of the user', () => {
    const tasks = plan([theirs], { url: 'redis://localhost', programs: { ...programs, redis: missing } });
    expect(tasks.filter(isByDefault).map(({ experiment }) => experiment.id)).toEqual(['crash', 'pause', 'herd']);
    expect(tasks.find(({ experiment }) => experiment.id === 'failover')?.notRun).toContain(
      'with --url the lab does nothing',
    );
  });

  it('says of each experiment truly what it would do to a server of the user', () => {
    const postgres = ours.filter(({ name }) => name === 'holdfast:postgres');
    const reasons = new Map(
      plan(postgres, { url: 'postgres://localhost/x' }).map((task) => [task.experiment.id, task.notRun?.split(',')[0]]),
    );
    expect(['pooler', 'silent-cut', 'partition', 'distance', 'clock'].map((id) => reasons.get(id))).toEqual([
      'It puts a PgBouncer before a server',
      'It cuts the way to a server',
      'It cuts the way to a server',
      'It puts a server far away',
      'It moves the clock of a server',
    ]);
  });

  it('leaves out on a server of the user what cannot work there, and says why', () => {
    const subjects = ours.filter(({ name }) => name === 'holdfast:postgres');
    const tasks = plan(
      subjects.map((subject) => ({ ...subject, cannotWorkThere: 'It has no tables.' })),
      {
        url: 'postgres://localhost/x',
      },
    );
    expect(tasks.find(({ experiment }) => experiment.id === 'crash')?.notRun).toBe('It has no tables.');
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
        .filter((task) => task.subject.name === subject && /^(crash|pause|failover|clock)/.test(task.experiment.id))
        .map((task) => task.expected);
    expect(expected('setnx')).toEqual(['safe', 'unsafe', 'unsafe', 'unsafe', 'unsafe']);
    expect(expected('setnx-watchdog')).toEqual(['safe', 'unsafe', 'unsafe', 'unsafe', 'unsafe']);
    expect(expected('holdfast:redis')).toEqual(['safe', 'safe', 'safe', 'safe', 'safe']);
  });
});
