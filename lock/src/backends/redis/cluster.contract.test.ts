import { createCluster } from '@redis/client';
import { GlideClusterClient, Logger } from '@valkey/valkey-glide';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocks } from '../../index.ts';
import { fromGlide, fromIoredis, fromNodeRedis, type RedisCommands, redisBackend } from './index.ts';
import { RedisCluster } from './test-support/redis-cluster.ts';
import { codeOf, requestFor, sleep } from './test-support/requests.ts';

let cluster: RedisCluster;

beforeAll(async () => {
  Logger.setLoggerConfig('off');
  cluster = await RedisCluster.start();
}, 60_000);
afterAll(() => cluster.stop());

interface Opened {
  readonly commands: RedisCommands;
  close(): unknown;
}

const clients: Readonly<Record<string, () => Promise<Opened>>> = {
  ioredis: async () => {
    const client = new Cluster(cluster.addresses).on('error', () => undefined);
    return { commands: fromIoredis(client), close: () => client.disconnect() };
  },
  'ioredis, with a prefix': async () => {
    const client = new Cluster(cluster.addresses, { keyPrefix: 'app:' }).on('error', () => undefined);
    return { commands: fromIoredis(client), close: () => client.disconnect() };
  },
  'node-redis': async () => {
    const client = createCluster({ rootNodes: cluster.addresses.map((socket) => ({ socket })) });
    client.on('error', () => undefined);
    await client.connect();
    return { commands: fromNodeRedis(client), close: () => client.destroy() };
  },
  'Valkey GLIDE': async () => {
    const config = { addresses: cluster.addresses, requestTimeout: 5_000 };
    const client = await GlideClusterClient.createClient(config);
    const commands = fromGlide(client, {
      cluster: true,
      openSubscriber: (callback) =>
        GlideClusterClient.createClient({ ...config, pubsubSubscriptions: { channelsAndPatterns: {}, callback } }),
    });
    return { commands, close: () => client.close() };
  },
};

describe.each(Object.entries(clients))('on a cluster, through %s', (_name, open) => {
  it('locks of all slots are taken in one turn, handed over, and given back', async () => {
    const [one, two] = [await open(), await open()];
    const [ours, theirs] = [redisBackend(one.commands), redisBackend(two.commands)];
    const names = Array.from({ length: 60 }, (_, index) =>
      index % 2 === 0 ? `n${index}` : `a{tag${index % 7}}${index}`,
    );
    const held = names.map((name) => requestFor(name));
    for (const answer of await Promise.all(held.map((request) => ours.tryAcquire(request)))) {
      expect(answer.outcome).toBe('granted');
    }
    const waiters = names.map((name) => requestFor(name));
    await Promise.all(waiters.map((request) => theirs.queue('enter', request)));
    await Promise.all(held.map((request) => ours.release(request)));
    for (const answer of await Promise.all(waiters.map((request) => theirs.queue('stay', request)))) {
      expect(answer.outcome).toBe('granted');
    }
    const listed = ours.list().then((reports) => reports.map(({ name }) => name));
    if (one.commands.servers !== undefined) expect(await listed).toEqual([...names].sort());
    else expect(await codeOf(listed)).toBe('UNSUPPORTED');
    // Nothing could stand beside this key in the same slot.
    expect(await codeOf(ours.tryAcquire(requestFor('a}b')))).toBe('CONFIG');
    for (const request of waiters) expect(await theirs.release(request)).toBe('released');
    await ours.close();
    await theirs.close();
    one.close();
    two.close();
  });

  it('a release reaches a waiter that is connected to any node', async () => {
    const [one, two] = [await open(), await open()];
    const [ours, theirs] = [createLocks(redisBackend(one.commands)), createLocks(redisBackend(two.commands))];
    for (let round = 0; round < 6; round++) {
      const lease = await ours.lock(`r${round}`).acquire();
      const waiting = theirs.lock(`r${round}`).acquire();
      await sleep(100);
      const releasedAt = performance.now();
      await lease.release();
      await (await waiting).release();
      expect(performance.now() - releasedAt).toBeLessThan(4_000); // a heartbeat would take 5 s
    }
    await ours.close();
    await theirs.close();
    one.close();
    two.close();
  });
});

it('a client of one node of a cluster is refused, and told what it takes', async () => {
  const [node] = cluster.nodes;
  const client = node?.connect();
  if (client === undefined) throw new Error('There is no node.');
  const backend = redisBackend(fromIoredis(client));
  const codes = new Set<unknown>();
  for (let index = 0; index < 20; index++) codes.add(await codeOf(backend.tryAcquire(requestFor(`n${index}`))));
  expect(codes).toContain('CONFIG');
  expect(codes).not.toContain('OUTCOME_UNKNOWN');
  await backend.close();
  client.disconnect();
});
