// The Redlock mutex of redis-semaphore.
import { RedlockMutex } from 'redis-semaphore';
import { semaphore } from './helpers/semaphore.mjs';

export default semaphore({
  name: 'npm:redis-semaphore',
  server: 'redlock',
  mutexOn: (clients, name, options, waitMs) =>
    new RedlockMutex(clients, name, {
      ...options,
      acquireAttemptsLimit: waitMs === 0 ? 1 : Number.POSITIVE_INFINITY,
    }),
});
