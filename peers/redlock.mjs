// npm's redlock, as its README shows it: a lock with a TTL, which its user would have to extend by hand.
import { setTimeout as sleep } from 'node:timers/promises';
import Redlock from 'redlock';
import { clientsOf } from './clients.mjs';

export default {
  name: 'npm:redlock',
  server: 'redlock',
  async open({ url }) {
    const clients = clientsOf(url);
    const redlock = new Redlock(clients, { retryCount: 0 });
    redlock.on('clientError', () => {}); // one server more or less
    return {
      async acquire(name, { ttlMs, waitMs }) {
        const giveUpAt = performance.now() + waitMs;
        for (;;) {
          try {
            return holdOf(await redlock.lock(name, ttlMs));
          } catch (error) {
            if (error.name !== 'LockError') throw error; // it is the same error for "busy" and for "too few answered"
          }
          if (performance.now() >= giveUpAt) return null;
          await sleep(50);
        }
      },
      async close() {
        for (const client of clients) client.disconnect();
      },
    };
  },
};

function holdOf(lock) {
  return {
    believes: () => lock.expiration > Date.now(),
    async release() {
      // A lock that has expired cannot be given back, which it reports as an error.
      await lock.unlock().catch((error) => {
        if (error.name !== 'LockError') throw error;
      });
    },
  };
}
