// The mutexes of redis-semaphore as subjects. They renew by themselves and tell of a loss; who waits asks every 10 ms.
import { TimeoutError } from 'redis-semaphore';
import { clientsOf } from './clients.mjs';

/** `mutexOn` makes one, from the clients for all servers, a name, its options, and for how long it is waited for. */
export function semaphore({ name, server, mutexOn }) {
  return {
    name,
    server,
    async open({ url }) {
      const clients = clientsOf(url);
      return {
        async acquire(lockName, { ttlMs, waitMs }) {
          const options = {
            lockTimeout: ttlMs,
            refreshInterval: ttlMs / 3,
            acquireTimeout: waitMs || 10_000,
            onLockLost: () => {}, // otherwise it throws where nobody can catch it
          };
          const mutex = mutexOn(clients, lockName, options, waitMs);
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
}

function holdOf(mutex) {
  return { believes: () => mutex.isAcquired, release: () => mutex.release() };
}
