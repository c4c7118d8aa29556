import { afterAll, beforeAll, describe, it } from 'vitest';
import { type BackendUnderTest, describeBackend } from '../../contract/index.ts';
import type { RedisBackend } from './index.ts';
import { fromIoredis, redisBackend } from './index.ts';
import { RedisServer } from './test-support/redis-server.ts';

/** A backend object that takes its client along when it is closed, as a program that ends does. */
function backendOn(server: RedisServer, port: number, options: object = {}): RedisBackend {
  const client = server.connect({ port, ...options });
  const backend = redisBackend(fromIoredis(client));
  const close = backend.close.bind(backend);
  backend.close = async () => {
    await close();
    client.disconnect();
  };
  return backend;
}

/** The suite on a client as ioredis makes it by default, which resends by itself, and on one that fails at once. */
const clients = {
  'redis, with ioredis as it is': {},
  'redis, with an ioredis that never resends': { maxRetriesPerRequest: 0 },
};

for (const [id, options] of Object.entries(clients)) {
  describeBackend({ afterAll, beforeAll, describe, it }, id, {
    start: async (): Promise<BackendUnderTest> => {
      const server = await RedisServer.start();
      return {
        create: () => backendOn(server, server.port, options),
        worker: { module: new URL('./test-support/worker.mjs', import.meta.url), data: { port: server.port } },
        server: {
          restart: () => server.restart(),
          pause: () => server.pause(),
          resume: () => server.resume(),
        },
        network: { port: server.port, createThrough: (port) => backendOn(server, port, options) },
        // Refused owner ids are documented to stay for 20 minutes.
        residue: async () => (await server.keys()).filter((key) => !key.startsWith('holdfast.withdrawn')),
        stop: () => server.stop(),
      };
    },
  });
}
