import { createClient, RESP_TYPES } from '@redis/client';
import { Decoder, GlideClient, Logger } from '@valkey/valkey-glide';
import { Redis as IoValkey } from 'iovalkey';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocks } from '../../index.ts';
import {
  fromGlide,
  fromIoredis,
  fromNodeRedis,
  type RedisBackendOptions,
  type RedisCommands,
  redisBackend,
} from './index.ts';
import { RedisServer } from './test-support/redis-server.ts';
import { codeOf, requestFor, sleep, until } from './test-support/requests.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
  Logger.setLoggerConfig('off');
});
afterAll(() => server.stop());

interface Opened {
  readonly commands: RedisCommands;
  close(): unknown;
}

const clients: Readonly<Record<string, () => Promise<Opened>>> = {
  'ioredis, RESP3': async () => {
    const client = server.connect();
    return { commands: fromIoredis(client), close: () => client.disconnect() };
  },
  'ioredis, RESP2': async () => {
    const client = server.connect({ protocol: 2 });
    return { commands: fromIoredis(client), close: () => client.disconnect() };
  },
  'ioredis, auto-pipelining': async () => {
    const client = server.connect({ enableAutoPipelining: true });
    return { commands: fromIoredis(client), close: () => client.disconnect() };
  },
  iovalkey: async () => {
    const client = new IoValkey({ host: '127.0.0.1', port: server.port }).on('error', () => undefined);
    return { commands: fromIoredis(client), close: () => client.disconnect() };
  },
  'node-redis, RESP3': async () => {
    const client = createClient({ socket: { host: '127.0.0.1', port: server.port } }).on('error', () => undefined);
    await client.connect();
    return { commands: fromNodeRedis(client), close: () => client.destroy() };
  },
  'node-redis, RESP2': async () => {
    const client = createClient({ RESP: 2, socket: { host: '127.0.0.1', port: server.port } });
    client.on('error', () => undefined);
    await client.connect();
    return { commands: fromNodeRedis(client), close: () => client.destroy() };
  },
  'node-redis, which gives its own program buffers': async () => {
    const client = createClient({ socket: { host: '127.0.0.1', port: server.port } });
    client.on('error', () => undefined);
    await client.connect();
    const mapped = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer, [RESP_TYPES.SIMPLE_STRING]: Buffer });
    return { commands: fromNodeRedis(mapped), close: () => client.destroy() };
  },
  'Valkey GLIDE': async () => {
    const config = { addresses: [{ host: '127.0.0.1', port: server.port }], requestTimeout: 2_000 };
    const client = await GlideClient.createClient(config);
    const commands = fromGlide(client, {
      openSubscriber: (callback) =>
        GlideClient.createClient({ ...config, pubsubSubscriptions: { channelsAndPatterns: {}, callback } }),
    });
    return { commands, close: () => client.close() };
  },
  'Valkey GLIDE, which gives its own program buffers': async () => {
    const config = {
      addresses: [{ host: '127.0.0.1', port: server.port }],
      requestTimeout: 2_000,
      defaultDecoder: Decoder.Bytes,
    };
    const client = await GlideClient.createClient(config);
    const commands = fromGlide(client, {
      openSubscriber: (callback) =>
        GlideClient.createClient({ ...config, pubsubSubscriptions: { channelsAndPatterns: {}, callback } }),
    });
    return { commands, close: () => client.close() };
  },
  'Valkey GLIDE, without a second client': async () => {
    const client = await GlideClient.createClient({
      addresses: [{ host: '127.0.0.1', port: server.port }],
      requestTimeout: 2_000,
    });
    return { commands: fromGlide(client), close: () => client.close() };
  },
};

describe.each(Object.entries(clients))('through %s', (_name, open) => {
  async function withBackends(
    body: (one: ReturnType<typeof redisBackend>, two: ReturnType<typeof redisBackend>) => Promise<void>,
    options: RedisBackendOptions = {},
  ): Promise<void> {
    await server.admin.flushall();
    const opened = [await open(), await open()] as const;
    const [one, two] = [redisBackend(opened[0].commands, options), redisBackend(opened[1].commands, options)];
    try {
      await body(one, two);
    } finally {
      await one.close();
      await two.close();
      for (const { close } of opened) close();
    }
  }

  it('every operation gives what it gives through the others', () =>
    withBackends(async (backend) => {
      const [holder, next, waiter] = [requestFor('x', { purpose: 'ü 🔒' }), requestFor('x'), requestFor('x')];
      const granted = await backend.tryAcquire(holder);
      expect(granted).toEqual({ outcome: 'granted', ttlMs: 10_000, fencingToken: expect.any(BigInt) });
      expect(await backend.tryAcquire(next)).toEqual({ outcome: 'busy', retryInMs: expect.any(Number) });
      expect((await backend.inspect('x')).holder).toMatchObject({
        owner: holder.owner,
        purpose: 'ü 🔒',
        foreign: false,
      });
      expect(await backend.renew([holder, next])).toEqual(['renewed', 'lost']);
      expect((await backend.transfer(holder, next)).outcome).toBe('granted');
      expect(await backend.queue('stay', waiter)).toEqual({ outcome: 'gone' });
      expect((await backend.queue('enter', waiter)).outcome).toBe('waiting');
      expect((await backend.list()).map(({ name, waiters }) => [name, waiters.length])).toEqual([['x', 1]]);
      expect((await backend.breakLock('x')).broken?.owner).toBe(next.owner);
      expect((await backend.queue('stay', waiter)).outcome).toBe('granted');
      expect(await backend.release(waiter)).toBe('released');
      expect(await backend.release(waiter)).toBe('not-held');
      await server.admin.set('holdfast:data', 'x');
      expect(await codeOf(backend.tryAcquire(requestFor('data')))).toBe('CONFIG');
      await server.admin.script('FLUSH');
      expect((await backend.tryAcquire(requestFor('y'))).outcome).toBe('granted');
    }));

  it('a release reaches the waiter of another client', () =>
    withBackends(async (one, two) => {
      const [ours, theirs] = [createLocks(one, { ttlMs: 30_000 }), createLocks(two, { ttlMs: 30_000 })];
      for (let round = 0; round < 5; round++) {
        const lease = await ours.lock('x').acquire();
        const waiting = theirs.lock('x').acquire();
        await until('a waiter in line', async () => (await server.admin.zcard('holdfast.queue:{holdfast:x}')) === 1);
        if (round > 0) await sleep(20);
        const releasedAt = performance.now();
        await lease.release();
        await (await waiting).release();
        expect(performance.now() - releasedAt).toBeLessThan(4_000); // a heartbeat would take 5 s
      }
      await ours.close();
      await theirs.close();
    }));

  it('a server that goes away is UNAVAILABLE or unknown, and then works again', () =>
    withBackends(async (backend) => {
      const request = requestFor('x');
      await backend.tryAcquire(request);
      await server.kill();
      const asked = codeOf(Promise.race([backend.tryAcquire(requestFor('y')), sleep(1_000).then(() => 'silent')]));
      expect(['UNAVAILABLE', 'OUTCOME_UNKNOWN', 'resolved']).toContain(await asked);
      await server.startAgain();
      let answer: unknown;
      await until(
        'an answer of the new server',
        async () => {
          answer = await codeOf(backend.tryAcquire(requestFor(`z${Math.random()}`)));
          return answer === 'resolved';
        },
        10_000,
      );
      expect(await backend.renew([request])).toEqual(['lost']);
    }));
});
