// A lock on one Redis, with the client that you have.
import { createLocks } from 'holdfast';
import { fromIoredis, redisBackend } from 'holdfast/redis';
import { Redis } from 'ioredis';

const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
redis.on('error', (error) => console.error(`redis: ${error.message}`)); // it connects again by itself
const locks = createLocks(redisBackend(fromIoredis(redis)), { ttlMs: 30_000 });

await locks.lock('order:1001').run(async (lease) => {
  console.log('holding, with a token:', lease.fencingToken > 0n);
  lease.assertHeld(); // before you write; what takes long is to stop when lease.signal aborts
});

await locks.close(); // gives back what is held; the client stays yours
redis.disconnect();
