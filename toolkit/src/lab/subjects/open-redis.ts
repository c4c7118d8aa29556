import { Redis } from 'ioredis';
import { sentinelsIn } from '../servers/sentinel-url.ts';

/**
 * A client with the defaults that come with ioredis, as most programs have it. It follows the Sentinels that a
 * `redis-sentinel:` URL names.
 */
export async function openRedis(url: string): Promise<Redis> {
  const sentinels = sentinelsIn(url);
  const redis = sentinels ? new Redis(sentinels) : new Redis(url);
  // Without a listener ioredis prints every failed attempt to connect. What fails is seen in the call that fails.
  redis.on('error', () => {});
  return redis;
}
