import { fromIoredis, type RedisBackendOptions, redisBackend } from 'holdfast/redis';
import { Cluster, Redis } from 'ioredis';
import { nodesIn, sentinelsIn } from '../servers/sentinel-url.ts';
import type { Subject } from '../subject.ts';
import { sessionOf } from './holdfast-session.ts';

/** A request that was cut off is reported and not sent again; nothing waits for a server that is away. */
const FAILS_AT_ONCE = { maxRetriesPerRequest: 0, enableOfflineQueue: false, lazyConnect: true };

async function connected(url: string): Promise<Redis | Cluster> {
  const nodes = nodesIn(url);
  if (nodes) {
    const cluster = new Cluster(nodes, { lazyConnect: true });
    cluster.on('error', () => {});
    await cluster.connect();
    return cluster;
  }
  const sentinels = sentinelsIn(url);
  const redis = sentinels ? new Redis({ ...sentinels, ...FAILS_AT_ONCE }) : new Redis(url, FAILS_AT_ONCE);
  let problem: unknown;
  redis.on('error', (error) => {
    problem = error;
  });
  // What `connect` rejects with says that there is no connection; why, it has told before.
  await redis.connect().catch((error: unknown) => {
    throw problem ?? error;
  });
  return redis;
}

/** Our own lock on Redis, as its users have it. */
function subjectOf(name: string, options: RedisBackendOptions): Subject {
  return {
    name,
    async open({ url }) {
      const redis = await connected(url);
      const backend = redisBackend(fromIoredis(redis), options);
      return sessionOf(backend, async () => {
        await backend.close();
        redis.disconnect();
      });
    },
  };
}

export const holdfastRedis: Subject = subjectOf('holdfast:redis', {});

export const holdfastRedisWithWait: Subject = subjectOf('holdfast:redis+wait', { replicas: 1 });

export const holdfastRedisWithWaitForTwo: Subject = subjectOf('holdfast:redis+wait2', { replicas: 2 });
