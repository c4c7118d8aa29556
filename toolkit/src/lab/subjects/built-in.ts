import type { ServerKind } from '../servers/find-server.ts';
import type { Subject } from '../subject.ts';

/** A lock that the lab knows by name. Each is loaded only in the process that runs it. */
export interface BuiltInSubject {
  readonly name: string;
  readonly server: ServerKind | 'none';
  /** Whether its URL may name Sentinels; a lock that cannot follow them is led to the primary by the lab. */
  readonly followsSentinels: boolean;
  /** Whether it promises to serve in the order of arrival. */
  readonly keepsOrder?: true;
  readonly summary: string;
  load(): Promise<Subject>;
}

/** In the order in which results stand. */
export const builtInSubjects: readonly BuiltInSubject[] = [
  {
    name: 'setnx',
    server: 'redis',
    followsSentinels: true,
    summary: 'SET NX PX and a plain DEL, as it is often written by hand',
    load: async () => (await import('./setnx.ts')).default,
  },
  {
    name: 'setnx-watchdog',
    server: 'redis',
    followsSentinels: true,
    summary: 'the same with an owner id, a compare-and-delete and a timer that renews every TTL/3',
    load: async () => (await import('./setnx-watchdog.ts')).default,
  },
  {
    name: 'holdfast:redis',
    server: 'redis',
    followsSentinels: true,
    summary: 'holdfast/redis',
    load: async () => (await import('./holdfast-redis.ts')).default,
  },
  {
    name: 'etcd-naive',
    server: 'etcd',
    followsSentinels: false,
    summary: 'a lease, one key that must not exist, and everybody watches it',
    load: async () => (await import('./etcd-naive.ts')).default,
  },
  {
    name: 'holdfast:etcd',
    server: 'etcd',
    followsSentinels: false,
    keepsOrder: true,
    summary: 'holdfast/etcd',
    load: async () => (await import('./holdfast-etcd.ts')).default,
  },
  {
    name: 'holdfast:zookeeper',
    server: 'zookeeper',
    followsSentinels: false,
    keepsOrder: true,
    summary: 'holdfast/zookeeper',
    load: async () => (await import('./holdfast-zookeeper.ts')).default,
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
