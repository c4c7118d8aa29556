import { openFile } from './file.ts';
import type { BenchSubject, Kind, OpenOptions, SubjectId, SubjectKind } from './subject.ts';

/** Each is loaded only in a process that runs it. */
const KINDS: Readonly<Record<Kind, () => Promise<SubjectKind>>> = {
  memory: async () => (await import('./memory.ts')).memory,
  sqlite: async () => (await import('./sqlite.ts')).sqlite,
  redis: async () => (await import('./redis.ts')).redis,
  redlock: async () => (await import('./redlock.ts')).redlock,
  etcd: async () => (await import('./etcd.ts')).etcd,
  zookeeper: async () => (await import('./zookeeper.ts')).zookeeper,
  postgres: async () => (await import('./databases.ts')).postgres,
  mysql: async () => (await import('./databases.ts')).mysql,
};

export async function openSubject(kind: Kind, id: SubjectId, options: OpenOptions): Promise<BenchSubject> {
  if (typeof id === 'object') return openFile(id.file, options.url);
  const { ours, raw } = await KINDS[kind]();
  if (id === 'holdfast') return ours(options);
  if (raw === undefined) throw new Error(`There are no bare commands for ${kind}.`);
  return raw(options);
}
