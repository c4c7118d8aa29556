// The mutex of redis-semaphore for one Redis, which renews by itself and tells of a loss. Who waits asks every 10 ms.
import { Mutex, TimeoutError } from 'redis-semaphore';
import { clientsOf } from './helpers/clients.mjs';

export default {
  name: 'npm:redis-semaphore (one)',
  server: 'redis',
  async open({ url }) {
    const [client] = clientsOf(url);
    return {
      async acquire(name, { ttlMs, waitMs }) {
        const mutex = new Mutex(client, name, {
          lockTimeout: ttlMs,
          refreshInterval: ttlMs / 3,
          acquireTimeout: waitMs || 10_000,
          onLockLost: () => {}, // otherwise it throws where nobody can catch it
        });
        if (waitMs === 0) return (await mutex.tryAcquire()) ? holdOf(mutex) : null;
        try {
          await mutex.acquire();
        } catch (error) {
          if (error instanceof TimeoutError) return null;
          throw error;
        }
        return holdOf(mutex);
      },
      async close() {
        client.disconnect();
      },
    };
  },
};

function holdOf(mutex) {
  return { believes: () => mutex.isAcquired, release: () => mutex.release() };
}
