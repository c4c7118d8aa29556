import { createClient, createCluster } from '@redis/client';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocks } from '../../index.ts';
import { fromIoredis, fromNodeRedis, type RedisCommands, redisBackend } from './index.ts';
import { RedisServer } from './test-support/redis-server.ts';
import { until } from './test-support/requests.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.stop());

const nodeRedis = () => createClient({ socket: { port: server.port } }).on('error', () => undefined);

const clients: Readonly<Record<string, () => Promise<RedisCommands>>> = {
  'an ioredis client that has quit': async () => {
    const client = server.connect();
    await client.ping();
    await client.quit();
    await until('its end', () => client.status === 'end');
    return fromIoredis(client);
  },
  'an ioredis Cluster that was disconnected': async () => {
    const client = new Cluster([{ port: server.port }], { lazyConnect: true }).on('error', () => undefined);
    client.disconnect();
    await until('its end', () => client.status === 'end');
    return fromIoredis(client);
  },
  'a node-redis client that was never connected': async () => fromNodeRedis(nodeRedis()),
  'a node-redis client that was closed': async () => {
    const client = await nodeRedis().connect();
    await client.close();
    return fromNodeRedis(client);
  },
  'a node-redis cluster that was never connected': async () =>
    fromNodeRedis(createCluster({ rootNodes: [{ socket: { port: server.port } }] })),
};

it.each(Object.entries(clients))('%s is told at once, and not after all of waitMs', async (_, open) => {
  const locks = createLocks(redisBackend(await open()));
  const askedAt = performance.now();
  const error = await locks
    .lock('x')
    .acquire({ waitMs: 30_000 })
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'BackendUnavailableError', code: 'UNAVAILABLE', lockName: 'x', isLasting: true });
  expect((error as Error).message).toMatch(/is closed, or was never connected .* Connect it before its first lock/);
  expect(performance.now() - askedAt).toBeLessThan(10_000);
  await locks.close();
});

it('a client that is closed under a lease ends its renewals with that reason, and its release at once', async () => {
  const client = server.connect();
  const locks = createLocks(redisBackend(fromIoredis(client)), { ttlMs: 1_500 });
  const held = await locks.lock('held').acquire();
  const other = await locks.lock('other').acquire();
  client.disconnect();
  const askedAt = performance.now();
  await expect(other.release()).rejects.toMatchObject({ code: 'UNAVAILABLE', isLasting: true });
  expect(performance.now() - askedAt).toBeLessThan(1_000);
  await until('the loss', () => held.signal.aborted, 15_000);
  expect(held.signal.reason).toMatchObject({ reason: 'expired', message: expect.stringContaining('is closed') });
  await locks.close();
});
