// A lock on one Redis, with the client that you have.
import { createLocks, LeaseLostError } from 'holdfast';
import { fromIoredis, redisBackend } from 'holdfast/redis';
import { Redis } from 'ioredis';

const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const locks = createLocks(redisBackend(fromIoredis(redis)), { ttlMs: 30_000 });

try {
  await locks.lock('order:1001').run(async (lease) => {
    console.log('holding, with a token:', lease.fencingToken > 0n);
  });
} catch (error) {
  if (error instanceof LeaseLostError) console.error(`not protected to the end: ${error.reason}`);
  throw error;
} finally {
  await locks.close(); // gives back what is held; the client stays yours
  redis.disconnect();
}
