// Verrou on one Redis: a lock with a TTL, which its user would have to extend by hand. Who waits asks every 250 ms.
import { Verrou } from '@verrou/core';
import { redisStore } from '@verrou/core/drivers/redis';
import { clientsOf } from './helpers/clients.mjs';

export default {
  name: 'npm:@verrou/core',
  server: 'redis',
  async open({ url }) {
    const [client] = clientsOf(url);
    const verrou = new Verrou({ default: 'redis', stores: { redis: { driver: redisStore({ connection: client }) } } });
    return {
      async acquire(name, { ttlMs, waitMs }) {
        const lock = verrou.createLock(name, ttlMs);
        const has = waitMs === 0 ? lock.acquireImmediately() : lock.acquire({ retry: { timeout: waitMs } });
        return (await has) ? { believes: () => !lock.isExpired(), release: () => lock.release() } : null;
      },
      async close() {
        client.disconnect();
      },
    };
  },
};
