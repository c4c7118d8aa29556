import type { ServerKind } from '../servers/find-server.ts';
import type { Subject } from '../subject.ts';

/** A lock that the lab knows by name. Each is loaded only in the process that runs it. */
export interface BuiltInSubject {
  readonly name: string;
  readonly server: ServerKind | 'none';
  /** Whether its URL may name Sentinels; a lock that cannot follow them is led to the primary by the lab. */
  readonly followsSentinels: boolean;
  /** Whether its URL may name the nodes of a cluster. */
  readonly followsClusters?: true;
  /** Whether it takes no lock where there is no replica. */
  readonly needsReplica?: true;
  /** Whether it takes no lock without two of them. */
  readonly needsTwoReplicas?: true;
  /** It shows one thing only, so that a check-up has it where it is named. */
  readonly onlyWhenNamed?: true;
  /** How long a rival asks at least before the lock counts as stuck: its server needs so long, whatever the TTL is. */
  readonly patienceMs?: number;
  /** Experiments that take long with it, so that a check-up without ids leaves them out. */
  readonly onlyOnDemand?: readonly string[];
  /** It makes tables at its server, so that it is not let loose on one of the user's. */
  readonly makesTables?: true;
  /** It needs the tables of `holdfast migrate`, which the lab makes on its own servers only. */
  readonly needsTables?: true;
  /** Experiments that make no sense with it, each with the reason. */
  readonly doesNotApply?: Readonly<Record<string, string>>;
  readonly summary: string;
  load(): Promise<Subject>;
}

/** A server ends a session of ours that has been silent for 15 s, and looks now and then only. */
const SESSION_PATIENCE_MS = 25_000;

/** Where renewals arrive, the lock stays with a holder that heeds no answer. */
function renewsUnheard(name: string): string {
  return `${name} renews without heeding the answers, and its requests arrive: the lock stays with it.`;
}

/** Without a limit of time nothing frees what a holder has that is out of reach. */
function staysWhenCutOff(name: string): Readonly<Record<string, string>> {
  const reason = `${name} has no limit of time: a holder that is cut off keeps it, and nobody else gets the lock (see silent-cut).`;
  return Object.fromEntries(PARTITIONS.map((id) => [id, reason]));
}

const PARTITIONS: readonly string[] = ['partition', 'partition-answers', 'partition-requests', 'partition-slow'];

/** What a date ends, and what it does not, is asked in two ways: each lock is in one of them. */
const noDateEnds = (name: string): Readonly<Record<string, string>> => ({
  clock: `${name} has no limit of time that a date would end (see clock-kept).`,
});
const dateEnds = (name: string): Readonly<Record<string, string>> => ({
  'clock-kept': `${name} ends by the date of its server (see clock).`,
});

/** A server ends a session that is silent; one that it hears late is none. */
function isHeardLate(name: string): string {
  return `${name} is a session, which lives while its server hears of it, and here it does, late: the lock stays with it.`;
}

/** In the order in which results stand. */
export const builtInSubjects: readonly BuiltInSubject[] = [
  {
    name: 'setnx',
    server: 'redis',
    followsSentinels: true,
    onlyOnDemand: ['replica-preferred'],
    summary: 'SET NX PX and a plain DEL, as it is often written by hand',
    load: async () => (await import('./setnx.ts')).default,
  },
  {
    name: 'setnx-watchdog',
    server: 'redis',
    followsSentinels: true,
    onlyOnDemand: ['replica-preferred', 'distance'],
    doesNotApply: {
      'partition-answers': renewsUnheard('setnx-watchdog'),
      'partition-slow': renewsUnheard('setnx-watchdog'),
    },
    summary: 'the same with an owner id, a compare-and-delete and a timer that renews every TTL/3',
    load: async () => (await import('./setnx-watchdog.ts')).default,
  },
  {
    name: 'holdfast:redis',
    server: 'redis',
    followsSentinels: true,
    onlyOnDemand: ['replica-preferred'],
    followsClusters: true,
    summary: 'holdfast/redis',
    load: async () => (await import('./holdfast-redis.ts')).holdfastRedis,
  },
  {
    name: 'holdfast:redis+wait',
    server: 'redis',
    followsSentinels: true,
    followsClusters: true,
    needsReplica: true,
    onlyOnDemand: ['pause'],
    summary: 'holdfast/redis with replicas: 1, so that a replica must acknowledge each grant',
    load: async () => (await import('./holdfast-redis.ts')).holdfastRedisWithWait,
  },
  {
    name: 'holdfast:redis+wait2',
    server: 'redis',
    followsSentinels: true,
    needsReplica: true,
    needsTwoReplicas: true,
    onlyWhenNamed: true,
    summary: 'holdfast/redis with replicas: 2, where there are two that can be promoted',
    load: async () => (await import('./holdfast-redis.ts')).holdfastRedisWithWaitForTwo,
  },
  {
    name: 'holdfast:redlock',
    server: 'redlock',
    followsSentinels: false,
    summary: 'holdfast/redlock, on five servers',
    load: async () => (await import('./holdfast-redlock.ts')).default,
  },
  {
    name: 'etcd-naive',
    server: 'etcd',
    followsSentinels: false,
    onlyOnDemand: ['clock-kept'],
    doesNotApply: { 'partition-slow': renewsUnheard('etcd-naive') },
    summary: 'a lease, one key that must not exist, and everybody watches it',
    load: async () => (await import('./etcd-naive.ts')).default,
  },
  {
    name: 'holdfast:etcd',
    server: 'etcd',
    followsSentinels: false,
    summary: 'holdfast/etcd',
    load: async () => (await import('./holdfast-etcd.ts')).default,
  },
  {
    name: 'holdfast:zookeeper',
    server: 'zookeeper',
    followsSentinels: false,
    summary: 'holdfast/zookeeper',
    load: async () => (await import('./holdfast-zookeeper.ts')).default,
  },
  {
    name: 'table-row',
    server: 'postgres',
    followsSentinels: false,
    onlyOnDemand: ['distance', 'clock-kept'],
    doesNotApply: {
      ...staysWhenCutOff('table-row'),
      ...noDateEnds('table-row'),
      pause: 'table-row has no limit of time: a holder that sleeps keeps its row, and nobody else gets the lock.',
    },
    makesTables: true,
    summary: 'a row that is inserted to lock and deleted to unlock, as it is often written by hand',
    load: async () => (await import('./table-row.ts')).default,
  },
  {
    name: 'pg-advisory',
    server: 'postgres',
    followsSentinels: false,
    onlyOnDemand: ['distance', 'clock-kept'],
    doesNotApply: { ...staysWhenCutOff('pg-advisory'), ...noDateEnds('pg-advisory') },
    summary: 'pg_try_advisory_lock on a connection out of the pool',
    load: async () => (await import('./pg-advisory.ts')).pgAdvisory,
  },
  {
    name: 'pg-advisory+tcp',
    server: 'postgres',
    followsSentinels: false,
    onlyWhenNamed: true,
    doesNotApply: { ...staysWhenCutOff('pg-advisory+tcp'), ...noDateEnds('pg-advisory+tcp') },
    summary: 'the same with tcp_user_timeout and TCP keep-alive, and no other limit',
    load: async () => (await import('./pg-advisory.ts')).pgAdvisoryTcp,
  },
  {
    name: 'holdfast:postgres',
    server: 'postgres',
    followsSentinels: false,
    doesNotApply: dateEnds('holdfast:postgres'),
    needsTables: true,
    summary: 'holdfast/postgres',
    load: async () => (await import('./holdfast-postgres.ts')).default,
  },
  {
    name: 'holdfast:postgres-session',
    server: 'postgres',
    followsSentinels: false,
    patienceMs: SESSION_PATIENCE_MS,
    onlyOnDemand: ['pause', 'distance', 'partition', 'clock-kept'],
    doesNotApply: {
      ...noDateEnds('holdfast:postgres-session'),
      'partition-slow': isHeardLate('holdfast:postgres-session'),
      pooler: 'holdfast:postgres-session refuses a pooler in transaction mode with an error, and locks nothing.',
    },
    summary: 'holdfast/postgres with session: true',
    load: async () => (await import('./holdfast-postgres-session.ts')).default,
  },
  {
    name: 'get-lock',
    server: 'mysql',
    followsSentinels: false,
    onlyOnDemand: ['distance', 'clock-kept'],
    doesNotApply: { ...staysWhenCutOff('get-lock'), ...noDateEnds('get-lock') },
    summary: 'GET_LOCK on a connection out of the pool',
    load: async () => (await import('./get-lock.ts')).default,
  },
  {
    name: 'holdfast:mysql',
    server: 'mysql',
    followsSentinels: false,
    onlyOnDemand: ['clock'],
    doesNotApply: dateEnds('holdfast:mysql'),
    needsTables: true,
    summary: 'holdfast/mysql',
    load: async () => (await import('./holdfast-mysql.ts')).default,
  },
  {
    name: 'holdfast:mysql-session',
    server: 'mysql',
    followsSentinels: false,
    patienceMs: SESSION_PATIENCE_MS,
    onlyOnDemand: ['pause', 'distance', 'partition', 'clock-kept'],
    doesNotApply: {
      ...noDateEnds('holdfast:mysql-session'),
      'partition-slow': isHeardLate('holdfast:mysql-session'),
    },
    summary: 'holdfast/mysql with session: true',
    load: async () => (await import('./holdfast-mysql-session.ts')).default,
  },
  {
    name: 'holdfast:sqlite',
    server: 'none',
    followsSentinels: false,
    summary: 'holdfast/sqlite, which needs no server',
    load: async () => (await import('./holdfast-sqlite.ts')).default,
  },
];

export function builtInSubject(name: string): BuiltInSubject | undefined {
  return builtInSubjects.find((subject) => subject.name === name);
}
