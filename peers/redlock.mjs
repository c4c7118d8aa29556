// npm's redlock, as its README shows it: a lock with a TTL, which its user would have to extend by hand.
import Redlock from 'redlock';
import { clientsOf } from './helpers/clients.mjs';
import { poll } from './helpers/polling.mjs';

export default {
  name: 'npm:redlock',
  server: 'redlock',
  async open({ url }) {
    const clients = clientsOf(url);
    const redlock = new Redlock(clients, { retryCount: 0 });
    redlock.on('clientError', () => {}); // one server more or less
    return {
      acquire: (name, { ttlMs, waitMs }) =>
        poll(waitMs, async () => {
          try {
            return holdOf(await redlock.lock(name, ttlMs));
          } catch (error) {
            if (error.name !== 'LockError') throw error; // it is the same error for "busy" and for "too few answered"
            return null;
          }
        }),
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
