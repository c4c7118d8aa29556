import { Redis } from 'ioredis';
import { parseAddress } from '../../connect/address.ts';

const LIMIT_MS = 10_000;

/** Asked once: a server that is away is not waited for. */
const ONCE = { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null };

/** Whether a URL leads to Redis servers, whose keys can be looked through. */
export function leadsToRedis(url: string): boolean {
  return /^(redis|redlock)s?:/i.test(url);
}

/**
 * Removes the keys whose name contains this lock's, which is unlike any other, from a user's server, or from each of
 * several. SCAN takes small steps, so it does not hold up others; on a very large database it gives up after ten
 * seconds, and what is left then are keys of this one name. Rejects if one of the servers could not be asked, when all
 * others have been.
 */
export async function removeKeys(url: string, lockName: string): Promise<void> {
  try {
    const done = await Promise.allSettled(clientsOf(url).map((redis) => removeFrom(redis, lockName)));
    const failed = done.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  } catch (error) {
    const message = `Keys that have ${lockName} in their names may be left on your server, since it cannot be asked to remove them.`;
    throw new Error(message, { cause: error });
  }
}

function clientsOf(url: string): Redis[] {
  if (/^rediss?:/i.test(url)) return [new Redis(url, ONCE)];
  const address = parseAddress(url);
  if (address.kind !== 'redlock') throw new Error('It names no Redis servers.');
  return address.servers.map(
    ({ host, port, tls, username, password, database }) =>
      new Redis({
        ...ONCE,
        ...{ host, port, db: database },
        ...(username === undefined ? {} : { username }),
        ...(password === undefined ? {} : { password }),
        ...(tls ? { tls: {} } : {}),
      }),
  );
}

async function removeFrom(redis: Redis, lockName: string): Promise<void> {
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
  } finally {
    redis.disconnect();
  }
}
