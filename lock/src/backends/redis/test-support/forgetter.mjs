// A program that forgets its locks: it holds one and waits for another, so that ours listens on a connection of its own,
// and then, told so, it closes its own client and nothing else. It should come to its end by itself.
import { createClient } from '@redis/client';
import { createLocks } from 'holdfast';
import { fromIoredis, fromNodeRedis, redisBackend } from 'holdfast/redis';
import { Redis } from 'ioredis';
import { Redis as IoValkey } from 'iovalkey';

const [, , kind, port] = process.argv;
const ignore = () => undefined;

const open = {
  ioredis: async () => {
    const client = new Redis({ host: '127.0.0.1', port: Number(port) }).on('error', ignore);
    return { commands: fromIoredis(client), quit: () => client.disconnect() };
  },
  iovalkey: async () => {
    const client = new IoValkey({ host: '127.0.0.1', port: Number(port) }).on('error', ignore);
    return { commands: fromIoredis(client), quit: () => client.disconnect() };
  },
  'node-redis': async () => {
    const client = createClient({ socket: { host: '127.0.0.1', port: Number(port) } }).on('error', ignore);
    await client.connect();
    return { commands: fromNodeRedis(client), quit: () => client.destroy() };
  },
  'node-redis by its URL': async () => {
    const client = createClient({ url: `redis://127.0.0.1:${port}` }).on('error', ignore);
    await client.connect();
    return { commands: fromNodeRedis(client), quit: () => client.destroy() };
  },
};

const { commands, quit } = await open[kind]();
const locks = createLocks(redisBackend(commands), { ttlMs: 1_000 });
await locks.lock('held').acquire();
await locks
  .lock('busy')
  .acquire({ waitMs: 300 })
  .catch(({ code }) => console.log(`waited ${code}`));
process.once('message', () => {
  quit();
  process.disconnect();
});
process.send('listening');
