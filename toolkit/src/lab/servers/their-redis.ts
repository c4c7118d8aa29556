import { Redis } from 'ioredis';

const LIMIT_MS = 10_000;

/**
 * Removes the keys whose name contains this lock's, which is unlike any other, from a user's server. SCAN takes small
 * steps, so it does not hold up others; on a very large database it gives up after ten seconds, and what is left then
 * are keys of this one name.
 */
export async function removeKeys(url: string, lockName: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  redis.on('error', () => {});
  const giveUpAt = performance.now() + LIMIT_MS;
  try {
    await redis.connect();
    let cursor = '0';
    do {
      const [next, keys] = await redis.scan(cursor, 'MATCH', `*${lockName}*`, 'COUNT', 500);
      if (keys.length > 0) await redis.unlink(...keys);
      cursor = next;
    } while (cursor !== '0' && performance.now() < giveUpAt);
  } catch (error) {
    const message = `Keys that have ${lockName} in their names may be left on your server, since it cannot be asked to remove them.`;
    throw new Error(message, { cause: error });
  } finally {
    redis.disconnect();
  }
}
