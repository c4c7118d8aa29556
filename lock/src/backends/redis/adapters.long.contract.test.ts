import { createClient } from '@redis/client';
import { GlideClient, Logger } from '@valkey/valkey-glide';
import { Redis as IoValkey } from 'iovalkey';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type BackendUnderTest, describeBackend } from '../../contract/index.ts';
import { fromGlide, fromIoredis, fromNodeRedis, type RedisBackend, type RedisCommands, redisBackend } from './index.ts';
import { RedisServer } from './test-support/redis-server.ts';

interface Opened {
  readonly commands: RedisCommands;
  close(): unknown;
}

/** Clients as a program would make them, that of the suite itself aside. */
const clients: Readonly<Record<string, (port: number) => Promise<Opened>>> = {
  async iovalkey(port) {
    const client = new IoValkey({ host: '127.0.0.1', port, maxRetriesPerRequest: 0 }).on('error', () => undefined);
    return { commands: fromIoredis(client), close: () => client.disconnect() };
  },
  async 'node-redis'(port) {
    const client = createClient({ socket: { host: '127.0.0.1', port } }).on('error', () => undefined);
    await client.connect();
    return { commands: fromNodeRedis(client), close: () => client.destroy() };
  },
  async 'Valkey GLIDE'(port) {
    const config = { addresses: [{ host: '127.0.0.1', port }], requestTimeout: 2_000 };
    const client = await GlideClient.createClient(config);
    const commands = fromGlide(client, {
      openSubscriber: (callback) =>
        GlideClient.createClient({ ...config, pubsubSubscriptions: { channelsAndPatterns: {}, callback } }),
    });
    return { commands, close: () => client.close() };
  },
};

async function backendOn(opening: Promise<Opened>): Promise<RedisBackend> {
  const { commands, close: closeClient } = await opening;
  const backend = redisBackend(commands);
  const close = backend.close.bind(backend);
  backend.close = async () => {
    await close();
    await closeClient();
  };
  return backend;
}

beforeAll(() => Logger.setLoggerConfig('off'));

for (const [id, open] of Object.entries(clients)) {
  describeBackend({ afterAll, beforeAll, describe, it }, `redis, with ${id}`, {
    start: async (): Promise<BackendUnderTest> => {
      const server = await RedisServer.start();
      return {
        create: () => backendOn(open(server.port)),
        worker: { module: new URL('./test-support/worker.mjs', import.meta.url), data: { port: server.port } },
        server: {
          restart: () => server.restart(),
          pause: () => server.pause(),
          resume: () => server.resume(),
        },
        network: { port: server.port, createThrough: (port) => backendOn(open(port)) },
        residue: async () => (await server.keys()).filter((key) => !key.startsWith('holdfast.withdrawn')),
        stop: () => server.stop(),
      };
    },
  });
}
