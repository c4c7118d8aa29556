import { createLocks } from 'holdfast';
import { fromIoredis, redisBackend } from 'holdfast/redis';
import { Redis } from 'ioredis';
import { connect } from '../../connect/connect.ts';
import { sentinelsIn } from '../servers/sentinel-url.ts';
import type { Subject } from '../subject.ts';
import { sessionOf } from './holdfast-session.ts';

/** Our own lock on Redis, as its users have it. */
const holdfastRedis: Subject = {
  name: 'holdfast:redis',
  async open({ url }) {
    const sentinels = sentinelsIn(url);
    if (!sentinels) {
      const { backend, close } = await connect(url);
      return sessionOf(createLocks(backend), close);
    }
    // A request that was cut off is reported and not sent again; nothing waits for a server that is away.
    const redis = new Redis({ ...sentinels, maxRetriesPerRequest: 0, enableOfflineQueue: false, lazyConnect: true });
    redis.on('error', () => {});
    await redis.connect();
    const backend = redisBackend(fromIoredis(redis));
    return sessionOf(createLocks(backend), async () => {
      await backend.close();
      redis.disconnect();
    });
  },
};

export default holdfastRedis;
