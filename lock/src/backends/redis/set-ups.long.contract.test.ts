import { once } from 'node:events';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type BackendUnderTest, contractCases, describeBackend } from '../../contract/index.ts';
import { fromIoredis, type RedisBackend, type RedisBackendOptions, redisBackend } from './index.ts';
import { RedisCluster } from './test-support/redis-cluster.ts';
import type { RedisServer } from './test-support/redis-server.ts';
import { Replication } from './test-support/replication.ts';
import { PRIMARY_NAME, startSentinel } from './test-support/sentinel.ts';

const runner = { afterAll, beforeAll, describe, it };

const worker = new URL('./test-support/worker.mjs', import.meta.url);

/** A backend object that takes its client along when it is closed, as a program that ends does. */
function backendOn(client: Redis | Cluster, options: RedisBackendOptions = {}): RedisBackend {
  client.on('error', () => undefined);
  const backend = redisBackend(fromIoredis(client), options);
  const close = backend.close.bind(backend);
  backend.close = async () => {
    await close();
    client.disconnect();
  };
  return backend;
}

/** Refused owner ids are documented to stay for a while. */
async function residueOn(servers: readonly RedisServer[]): Promise<readonly string[]> {
  const keys = await Promise.all(servers.map((server) => server.keys()));
  return keys.flat().filter((key) => !key.startsWith('holdfast.withdrawn'));
}

async function replicated(options: RedisBackendOptions): Promise<BackendUnderTest> {
  const servers = await Replication.start(1);
  const { primary } = servers;
  return {
    create: () => backendOn(primary.connect(), options),
    worker: { module: worker, data: { port: primary.port, options } },
    server: {
      restart: async () => {
        await primary.restart();
        await servers.inStep();
      },
      pause: () => primary.pause(),
      resume: () => primary.resume(),
    },
    network: { port: primary.port, createThrough: (port) => backendOn(primary.connect({ port }), options) },
    residue: () => residueOn([primary]),
    stop: () => servers.stop(),
  };
}

describeBackend(runner, 'redis with a replica that must acknowledge', { start: () => replicated({ replicas: 1 }) });

describeBackend(runner, 'redis behind a Sentinel, with a replica that must acknowledge', {
  start: async () => {
    const options = { replicas: 1 };
    const servers = await Replication.start(1);
    const { primary } = servers;
    // Cases that stop or restart the primary are about that, and not about a failover.
    const sentinel = await startSentinel(primary, { replicas: 1, downAfterMs: 60_000 });
    const sentinels = [{ host: '127.0.0.1', port: sentinel.port }];
    return {
      create: () => backendOn(new Redis({ sentinels, name: PRIMARY_NAME }), options),
      worker: { module: worker, data: { sentinels, options } },
      server: {
        restart: async () => {
          await primary.restart();
          await servers.inStep();
        },
        pause: () => primary.pause(),
        resume: () => primary.resume(),
      },
      network: { port: primary.port, createThrough: (port) => backendOn(primary.connect({ port }), options) },
      residue: () => residueOn([primary]),
      stop: async () => {
        await sentinel.stop();
        await servers.stop();
      },
    };
  },
});

/** What goes through a relay: a cluster tells its clients the addresses of its nodes, past any relay. */
const THROUGH_A_RELAY = /black hole|connection is cut|cut connection|slow link|reply was lost|no connection/;

describeBackend(runner, 'a cluster', {
  doesNotApply: {
    ...Object.fromEntries(
      contractCases
        .filter(({ name }) => THROUGH_A_RELAY.test(name))
        .map(({ name }) => [name, 'a cluster tells its clients the addresses of its nodes, past any relay']),
    ),
    'equal names are one lock and different names are two, whatever they look like':
      'on a cluster a name with a "}" that ends no hash tag is refused (cluster.contract.test.ts)',
  },
  start: async () => {
    const cluster = await RedisCluster.start();
    return {
      create: async () => {
        const client = new Cluster(cluster.addresses);
        await once(client, 'ready'); // so that cases in which the order counts measure that, and not who connects first
        return backendOn(client);
      },
      worker: { module: worker, data: { nodes: cluster.addresses } },
      server: {
        restart: async () => {
          await Promise.all(cluster.nodes.map((node) => node.restart()));
          await cluster.whole();
        },
        pause: () => {
          for (const node of cluster.nodes) node.pause();
        },
        resume: () => {
          for (const node of cluster.nodes) node.resume();
        },
      },
      residue: () => residueOn(cluster.nodes),
      stop: () => cluster.stop(),
    };
  },
});
