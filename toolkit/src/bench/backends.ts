/**
 * What the overview measures, in the order in which it stands there, and how its servers are started: each as it keeps
 * its data by default, unless its name says otherwise.
 *
 * @module
 */
import type { Reaper } from '../lab/reaper.ts';
import { startEtcd } from '../lab/servers/etcd.ts';
import type { ServerKind, ServerProgram, ServerPrograms } from '../lab/servers/find-server.ts';
import { MariadbServer } from '../lab/servers/mariadb.ts';
import type { Ensemble } from '../lab/servers/member.ts';
import { persistenceSettings } from '../lab/servers/persistence.ts';
import { PostgresServer } from '../lab/servers/postgres.ts';
import { RedisServer } from '../lab/servers/redis.ts';
import { startZooKeeper } from '../lab/servers/zookeeper.ts';
import { openMysql, openPostgres } from './sql/database.ts';
import type { Kind } from './subjects/subject.ts';

export const BACKEND_IDS = [
  'memory',
  'sqlite',
  'redis',
  'redis-aof',
  'redlock',
  'etcd',
  'etcd-3',
  'zookeeper',
  'zookeeper-3',
  'postgres',
  'mysql',
] as const;

export type BenchBackendId = (typeof BACKEND_IDS)[number];

export interface BenchBackend {
  readonly id: BenchBackendId;
  readonly kind: Kind;
  /** What must be installed. */
  readonly server: ServerKind | undefined;
  /** What is started, and when it brings to its disk what it has answered. */
  readonly what: string;
  /** The bare commands that ours are held against, for pairs and for held locks. */
  readonly raw: string | undefined;
  /** The bare hand-over. */
  readonly rawHandOver: string | undefined;
  start(use: Start): Promise<RunningBackend>;
}

export interface Start {
  readonly reaper: Reaper;
  readonly program: Extract<ServerProgram, { readonly file: string }>;
  /** Of this backend alone. */
  readonly folder: string;
}

export interface RunningBackend {
  readonly url: string;
  /** Name and version. */
  readonly version: string | undefined;
  stop(): void | Promise<void>;
}

const ON_REDIS = { raw: 'SET NX PX, compare-and-delete', rawHandOver: 'BLPOP' };
const ON_ETCD = { raw: 'put and delete that compare the revision', rawHandOver: "etcd's lock service" };
const ON_ZOOKEEPER = { raw: 'create and delete of an ephemeral node', rawHandOver: 'a watch on the one before' };
const ROW = 'upsert and update of a row';

export const BACKENDS: readonly BenchBackend[] = [
  {
    id: 'memory',
    kind: 'memory',
    server: undefined,
    what: 'no server: the core by itself',
    raw: undefined,
    rawHandOver: undefined,
    start: async () => ({ url: 'memory:', version: undefined, stop: () => undefined }),
  },
  {
    id: 'sqlite',
    kind: 'sqlite',
    server: undefined,
    what: 'no server: a file, not flushed',
    raw: ROW,
    rawHandOver: undefined,
    start: async ({ folder }) => ({ url: `sqlite://${folder}/locks`, version: undefined, stop: () => undefined }),
  },
  {
    id: 'redis',
    kind: 'redis',
    server: 'redis',
    what: 'one server, in memory only',
    ...ON_REDIS,
    start: (use) => startRedis(use, []),
  },
  {
    id: 'redis-aof',
    kind: 'redis',
    server: 'redis',
    what: 'one server, appendfsync always',
    ...ON_REDIS,
    start: (use) => startRedis(use, persistenceSettings['aof-always']),
  },
  {
    id: 'redlock',
    kind: 'redlock',
    server: 'redlock',
    what: 'five Redis servers, in memory only',
    raw: `${ON_REDIS.raw}, on all`,
    rawHandOver: undefined,
    start: startFive,
  },
  {
    id: 'etcd',
    kind: 'etcd',
    server: 'etcd',
    what: 'one member, flushes each write',
    ...ON_ETCD,
    start: (use) => startMembers('etcd', use, 1),
  },
  {
    id: 'etcd-3',
    kind: 'etcd',
    server: 'etcd',
    what: 'three members, each flushes each write',
    ...ON_ETCD,
    start: (use) => startMembers('etcd', use, 3),
  },
  {
    id: 'zookeeper',
    kind: 'zookeeper',
    server: 'zookeeper',
    what: 'one server, flushes each write',
    ...ON_ZOOKEEPER,
    start: (use) => startMembers('zookeeper', use, 1),
  },
  {
    id: 'zookeeper-3',
    kind: 'zookeeper',
    server: 'zookeeper',
    what: 'three servers, each flushes each write',
    ...ON_ZOOKEEPER,
    start: (use) => startMembers('zookeeper', use, 3),
  },
  {
    id: 'postgres',
    kind: 'postgres',
    server: 'postgres',
    what: 'flushes each commit',
    raw: ROW,
    rawHandOver: 'pg_advisory_lock',
    start: startPostgres,
  },
  {
    id: 'mysql',
    kind: 'mysql',
    server: 'mysql',
    what: 'MariaDB, flushes each commit',
    raw: ROW,
    rawHandOver: 'GET_LOCK',
    start: startMariadb,
  },
];

/** Why it cannot be measured here. */
export function missingFor({ server }: BenchBackend, programs: ServerPrograms): string | undefined {
  if (server === undefined) return undefined;
  const program = programs[server];
  return 'missing' in program ? program.missing : undefined;
}

async function startRedis(use: Start, settings: readonly string[], name = 'redis'): Promise<RunningBackend> {
  const { reaper, folder, program } = use;
  // The lab's servers tell of every key, which nobody here listens to.
  const quiet = ['--notify-keyspace-events', '', ...settings];
  const server = await RedisServer.start({ reaper, folder, program: program.file, name, settings: quiet });
  const version =
    (await server.info('server', 'valkey_version')) ?? (await server.info('server', 'redis_version')) ?? '?';
  const kind = (await server.info('server', 'server_name')) ?? 'redis';
  return { url: server.url, version: `${kind} ${version}`, stop: () => server.stop() };
}

async function startFive(use: Start): Promise<RunningBackend> {
  const servers: RunningBackend[] = [];
  const stop = (): void => servers.forEach((server) => void server.stop());
  try {
    for (let number = 1; number <= 5; number++) servers.push(await startRedis(use, [], `redis-${number}`));
  } catch (error) {
    stop();
    throw error;
  }
  const addresses = servers.map(({ url }) => url.replace('redis://', ''));
  return { url: `redlock://${addresses.join(',')}`, version: servers[0]?.version, stop };
}

async function startMembers(
  kind: 'etcd' | 'zookeeper',
  { reaper, folder, program }: Start,
  members: 1 | 3,
): Promise<RunningBackend> {
  const ensemble: Ensemble =
    kind === 'etcd'
      ? await startEtcd({ reaper, folder, members, program: program.file })
      : await startZooKeeper({ reaper, folder, members, java: program.file, jar: program.jar as string });
  return { url: ensemble.urlOf(ensemble.members), version: ensemble.version, stop: () => ensemble.stop() };
}

async function startPostgres({ reaper, folder, program }: Start): Promise<RunningBackend> {
  // A lock of somebody else may take a connection for each that is held.
  const settings = { fsync: 'on', max_connections: '400' };
  const server = await PostgresServer.start({ reaper, folder, program: program.file, settings });
  await makeTables(() => openPostgres(server.url));
  return { url: server.url, version: `${server.name} ${server.version}`, stop: () => server.stop() };
}

async function startMariadb({ reaper, folder, program }: Start): Promise<RunningBackend> {
  const args = ['--innodb-flush-log-at-trx-commit=1'];
  const server = await MariadbServer.start({ reaper, folder, program: program.file, args });
  await makeTables(() => openMysql(server.url));
  return { url: server.url, version: `${server.name} ${server.version}`, stop: () => server.stop() };
}

/** Before many processes want them at once. */
async function makeTables(open: () => ReturnType<typeof openPostgres>): Promise<void> {
  const database = await open();
  await (await database.open()).close();
  await database.close();
}
