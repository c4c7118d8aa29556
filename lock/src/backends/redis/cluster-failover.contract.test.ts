import { createCluster } from '@redis/client';
import { Cluster } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLocks, type FencedLease } from '../../index.ts';
import { fromIoredis, fromNodeRedis, type RedisCommands, redisBackend } from './index.ts';
import { RedisCluster } from './test-support/redis-cluster.ts';
import type { RedisServer } from './test-support/redis-server.ts';
import { until } from './test-support/requests.ts';

let cluster: RedisCluster;
let primary: RedisServer;
let replica: RedisServer;

beforeEach(async () => {
  cluster = await RedisCluster.start({ replicas: 1, nodeTimeoutMs: 1_000 });
  [primary, replica] = [cluster.nodes[0], cluster.replicas[0]] as [RedisServer, RedisServer];
}, 60_000);
afterEach(() => cluster.stop());

interface Opened {
  readonly commands: RedisCommands;
  close(): unknown;
}

const clients: Readonly<Record<string, () => Promise<Opened>>> = {
  ioredis: async () => {
    const client = new Cluster(cluster.addresses).on('error', () => undefined);
    return { commands: fromIoredis(client), close: () => client.disconnect() };
  },
  'node-redis': async () => {
    const client = createCluster({ rootNodes: cluster.addresses.map((socket) => ({ socket })) });
    client.on('error', () => undefined);
    await client.connect();
    return { commands: fromNodeRedis(client), close: () => client.destroy() };
  },
};

describe.each(Object.entries(clients))('a primary of a cluster that dies, through %s', (_name, open) => {
  it('with the only copy of the lock: its holder learns it, its waiter goes on with a larger token', async () => {
    const name = await cluster.nameOn(0, 'lost-');
    const [one, two] = [await open(), await open()];
    const ours = createLocks(redisBackend(one.commands), { ttlMs: 9_000, callMs: 1_000 });
    const theirs = createLocks(redisBackend(two.commands), { ttlMs: 30_000, callMs: 1_000 });
    replica.pause();
    await primary.admin.call('CLIENT', 'KILL', 'TYPE', 'replica');
    const lease: FencedLease = await ours.lock(name).acquire();
    const waiting = theirs.lock(name).acquire({ waitMs: 60_000 });
    await until('a waiter in line', async () => (await primary.admin.zcard(`holdfast.queue:{holdfast:${name}}`)) === 1);
    await primary.kill();
    replica.resume();
    const rival: FencedLease = await waiting;
    expect(rival.fencingToken).toBeGreaterThan(lease.fencingToken);
    await until('the loss', () => lease.signal.aborted, 20_000);
    await rival.release();
    // Waiting works on the new primary, too.
    const again = await ours.lock(name).acquire({ waitMs: 30_000 });
    const next = theirs.lock(name).acquire({ waitMs: 30_000 });
    await until('a waiter in line there', async () => {
      return Number(await replica.admin.call('ZCARD', `holdfast.queue:{holdfast:${name}}`)) === 1;
    });
    await again.release();
    await (await next).release();
    await ours.close();
    await theirs.close();
    one.close();
    two.close();
  }, 120_000);
});
