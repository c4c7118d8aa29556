// A lock on a majority of independent Redis servers. It has no fencing token: see docs/backends/redlock.md.
import { createLocks, LeaseLostError } from 'holdfast';
import { fromIoredis } from 'holdfast/redis';
import { redlockBackend } from 'holdfast/redlock';
import { Redis } from 'ioredis';

const urls = (process.env.REDIS_URLS ?? 'redis://redis-1,redis://redis-2,redis://redis-3').split(',');
const clients = urls.map((url) => new Redis(url, { maxRetriesPerRequest: 0 }));
const locks = createLocks(redlockBackend(clients.map(fromIoredis)), { ttlMs: 30_000 });

try {
  await locks.lock('report:2026-11').run(async (lease) => {
    lease.assertHeld(); // reads the clock: before you send the mail
    console.log(`holding on a majority of ${clients.length} servers`);
  });
} catch (error) {
  if (error instanceof LeaseLostError) console.error(`not protected to the end: ${error.reason}`);
  throw error;
} finally {
  await locks.close(); // gives back what is held; the clients stay yours
  for (const client of clients) client.disconnect();
}
