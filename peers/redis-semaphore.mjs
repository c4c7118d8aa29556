// The Redlock mutex of redis-semaphore, which renews by itself and tells of a loss.
import { RedlockMutex, TimeoutError } from 'redis-semaphore';
import { clientsOf } from './helpers/clients.mjs';

export default {
  name: 'npm:redis-semaphore',
  server: 'redlock',
  async open({ url }) {
    const clients = clientsOf(url);
    return {
      async acquire(name, { ttlMs, waitMs }) {
        const mutex = new RedlockMutex(clients, name, {
          lockTimeout: ttlMs,
          refreshInterval: ttlMs / 3,
          acquireTimeout: waitMs || 10_000,
          acquireAttemptsLimit: waitMs === 0 ? 1 : Number.POSITIVE_INFINITY,
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
        for (const client of clients) client.disconnect();
      },
    };
  },
};

function holdOf(mutex) {
  return {
    believes: () => mutex.isAcquired,
    release: () => mutex.release(),
  };
}
