/**
 * Redis with replicas: a primary and what follows it, and who promotes it when the primary dies.
 *
 * @module
 */
import { type Cluster, type ClusterOptions, type Replication, versionOf } from './cluster.ts';
import { BlackHole } from './servers/black-hole.ts';
import { RedisServer } from './servers/redis.ts';
import { nameInSlotsOf, startNodes } from './servers/redis-nodes.ts';
import { RedisRequests } from './servers/redis-requests.ts';
import { watchKeys } from './servers/redis-watch.ts';
import { clusterUrl, sentinelUrl } from './servers/sentinel-url.ts';
import { PRIMARY_NAME, startSentinels } from './servers/sentinels.ts';
import { SteadyAddress } from './servers/steady-address.ts';
import { until } from './until.ts';

export type RedisSetUp =
  | 'redis-replicated'
  | 'redis-sentinels'
  | 'redis-two-replicas'
  | 'redis-min-replicas'
  | 'redis-cluster';

/** As an operator sets it who wants a primary that is cut off to stop writing: one replica, heard of within a second. */
const MIN_REPLICAS = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '1'];

type Options = ClusterOptions & {
  readonly setUp: RedisSetUp;
  /** Whether the subject asks Sentinels by itself, where there are any. */
  readonly followsSentinels: boolean;
};

/** A primary and a replica that is in step with it. What clients connect to follows the primary. */
export async function replicatedRedis(options: Options): Promise<Cluster> {
  const servers: RedisServer[] = [];
  const closers: (() => void)[] = [];
  const closeAll = (): void => {
    for (const close of closers) close();
    for (const server of servers) server.stop();
  };
  try {
    const parts = options.setUp === 'redis-cluster' ? await nodes() : await pair();
    closers.push(await watchKeys(parts.primary, options.history), await watchKeys(parts.replica, options.history));
    const { url, lockName, ...replication } = parts;
    const counter = new RedisRequests([replication.primary]);
    closers.push(() => counter.close());
    return {
      url,
      ...(lockName === undefined ? {} : { lockName }),
      servers: [await versionOf(parts.primary)],
      replication,
      counts: () => counter.counts(),
      close: async () => closeAll(),
    };
  } catch (error) {
    closeAll();
    throw error;
  }

  async function pair(): Promise<Replication & { url: string; lockName?: string }> {
    const { setUp, followsSentinels } = options;
    const settings = setUp === 'redis-min-replicas' ? MIN_REPLICAS : [];
    const primary = await RedisServer.start({ ...options, name: 'primary', settings });
    servers.push(primary);
    const way = setUp === 'redis-min-replicas' ? await BlackHole.start(primary.port, () => {}) : undefined;
    if (way) closers.push(() => way.close());
    // Sentinels promote the one with the smaller number.
    const replica = await replicaOf(way ?? primary, 'replica', '10');
    const second = setUp === 'redis-two-replicas' ? await replicaOf(primary, 'second', '100') : undefined;
    // Sentinels find a replica only if it is there before them.
    const withSentinels = setUp === 'redis-sentinels' || setUp === 'redis-two-replicas';
    const sentinels = withSentinels ? await startSentinels(primary, options, second ? 2 : 1) : [];
    servers.push(...sentinels);
    const address = withSentinels && followsSentinels ? undefined : await SteadyAddress.start(primary.port);
    if (address) closers.push(() => address.close());
    const ports = sentinels.map(({ port }) => port);
    return { primary, replica, second, sentinels, address, way, url: address?.url ?? sentinelUrl(ports, PRIMARY_NAME) };
  }

  async function replicaOf(primary: { readonly port: number }, name: string, priority: string): Promise<RedisServer> {
    const settings = ['--replica-priority', priority];
    const replica = await RedisServer.start({ ...options, name, replicaOf: primary, settings });
    servers.push(replica);
    await inStep(replica);
    return replica;
  }

  async function nodes(): Promise<Replication & { url: string; lockName?: string }> {
    const { primaries, replica } = await startNodes(options, servers);
    await inStep(replica);
    const [primary] = primaries as [RedisServer];
    return {
      primary,
      replica,
      second: undefined,
      sentinels: [],
      address: undefined,
      way: undefined,
      url: clusterUrl(primaries.map(({ port }) => port)),
      lockName: await nameInSlotsOf(primary),
    };
  }
}

async function inStep(replica: RedisServer): Promise<void> {
  const isUp = async (): Promise<boolean> => (await replica.info('replication', 'master_link_status')) === 'up';
  await until(`The ${replica.name} catching up`, isUp, { limitMs: 20_000 });
}
