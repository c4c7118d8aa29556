import { createClient, RESP_TYPES } from '@redis/client';
import { Decoder, GlideClient, Logger } from '@valkey/valkey-glide';
import { Redis as IoValkey } from 'iovalkey';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fromGlide, fromIoredis, fromNodeRedis } from '../backends/redis/index.ts';
import { RedisServer } from '../backends/redis/test-support/redis-server.ts';
import { type RedisGuard, type RedisGuardCommands, redisGuard } from './redis.ts';
import { describeAnswers } from './test-support/guard-suite.ts';

let server: RedisServer;
const closes: (() => unknown)[] = [];
beforeAll(async () => {
  server = await RedisServer.start();
  Logger.setLoggerConfig('off');
});
afterAll(async () => {
  for (const close of closes) close();
  await server.stop();
});

async function openNodeRedis(options: object): Promise<ReturnType<typeof createClient>> {
  const client = createClient({ ...options, socket: { host: '127.0.0.1', port: server.port } });
  client.on('error', () => undefined);
  await client.connect();
  closes.push(() => client.destroy());
  return client as ReturnType<typeof createClient>;
}

async function openGlide(options: object): Promise<GlideClient> {
  const client = await GlideClient.createClient({ ...options, addresses: [{ host: '127.0.0.1', port: server.port }] });
  closes.push(() => client.close());
  return client;
}

const clients: Readonly<Record<string, () => Promise<RedisGuardCommands>>> = {
  'ioredis, RESP2': async () => fromIoredis(server.connect({ protocol: 2 })),
  'ioredis, RESP3': async () => fromIoredis(server.connect()),
  'ioredis, whose numbers are strings': async () => fromIoredis(server.connect({ stringNumbers: true })),
  'ioredis, with a prefix': async () => fromIoredis(server.connect({ keyPrefix: 'app:' })),
  iovalkey: async () => {
    const client = new IoValkey({ host: '127.0.0.1', port: server.port, keyPrefix: 'valkey:' });
    closes.push(() => client.disconnect());
    return fromIoredis(client.on('error', () => undefined));
  },
  'node-redis, RESP2': async () => fromNodeRedis(await openNodeRedis({ RESP: 2 })),
  'node-redis, RESP3': async () => fromNodeRedis(await openNodeRedis({})),
  'node-redis, which gives its own program buffers': async () => {
    const client = await openNodeRedis({});
    return fromNodeRedis(client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer, [RESP_TYPES.NUMBER]: String }));
  },
  'Valkey GLIDE': async () => fromGlide(await openGlide({})),
  'Valkey GLIDE, which gives its own program buffers': async () =>
    fromGlide(await openGlide({ defaultDecoder: Decoder.Bytes })),
};

for (const [name, open] of Object.entries(clients)) {
  let commands: RedisGuardCommands;
  const guardOf = (source: string): RedisGuard => redisGuard(commands, { source });
  beforeAll(async () => {
    commands = await open();
  });

  describeAnswers(`Redis, through ${name}`, () => ({
    fence: (resource, token, source = 'test') => guardOf(source).enter(resource, token),
    raise: (resource, token) => guardOf('test').raise(resource, token),
    changeSource: (resource, to, change) => guardOf(to).changeSource(resource, change),
  }));

  it(`a guarded write is found under the key by which the same client reads: ${name}`, async () => {
    const [key, digits] = [`{written}:${name}`, String(2n ** 63n - 1n)];
    const replies = await guardOf('test').write('written', 2n ** 63n - 1n, [
      ['SET', key, digits],
      ['GET', key],
    ]);
    expect(replies).toEqual(['OK', digits]);
    expect(await commands.send(['GET', key], key)).toBe(digits);
  });
}

it('a number in a guarded command is refused before anything is sent, since it may lose its digits', async () => {
  const guard = redisGuard({ send: () => Promise.reject(new Error('sent')) }, { source: 'test' });
  const written = async (): Promise<unknown> => guard.write('r', 1n, [['SET', '{r}', (2 ** 53) as unknown as string]]);
  await expect(written()).rejects.toThrow(TypeError);
  await expect(written()).rejects.toThrow('must be texts');
});
