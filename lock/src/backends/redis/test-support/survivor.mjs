// A program that holds one lock and waits for another, with no listener for errors of either, while something bad
// happens to its server. It says when its lease is lost, and at the end that it has lived.
import { createLocks } from 'holdfast';
import { fromIoredis, redisBackend } from 'holdfast/redis';
import { Redis } from 'ioredis';

const [port, options] = [Number(process.argv[2]), JSON.parse(process.argv[3])];
const client = new Redis({ host: '127.0.0.1', port, ...options });
client.on('error', () => undefined); // the program's own client, and its own business
const locks = createLocks(redisBackend(fromIoredis(client)), { ttlMs: 1_000 });
const lease = await locks.lock('held').acquire();
let losses = 0;
lease.signal.addEventListener('abort', () => losses++);
const waiting = locks.lock('busy').acquire({ waitMs: 2_500 });
waiting.catch(() => undefined); // what a caller does with its own promise; everything else is ours to catch
console.log('ready');
await new Promise((resolve) => setTimeout(resolve, 3_000));
console.log(
  `end ${lease.state} ${losses} ${await waiting.then(
    () => 'got it',
    (error) => error.code,
  )}`,
);
await locks.close();
client.disconnect();
