// redlock-universal on one Redis, in its form for one server: a TTL, and its user extends by hand. Who waits asks every 100 ms.

import { clientsOf } from './helpers/clients.mjs';
import { checkNode } from './helpers/engines.mjs';

checkNode('redlock-universal');
const { createLock, IoredisAdapter, LockAcquisitionError } = await import('redlock-universal');

const EVERY_MS = 100;

export default {
  name: 'npm:redlock-universal',
  server: 'redis',
  async open({ url }) {
    const [client] = clientsOf(url);
    const adapter = new IoredisAdapter(client);
    return {
      async acquire(name, { ttlMs, waitMs }) {
        const retries = { retryAttempts: Math.ceil(waitMs / EVERY_MS), retryDelay: EVERY_MS };
        const lock = createLock({ adapter, key: name, ttl: ttlMs, ...retries });
        try {
          const handle = await lock.acquire();
          const endsAt = performance.now() + ttlMs;
          return {
            believes: () => performance.now() < endsAt,
            async release() {
              await lock.release(handle);
            },
          };
        } catch (error) {
          if (error instanceof LockAcquisitionError) return null;
          throw error;
        }
      },
      async close() {
        client.disconnect();
      },
    };
  },
};
