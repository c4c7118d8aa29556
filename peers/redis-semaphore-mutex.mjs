// The mutex of redis-semaphore for one Redis.
import { Mutex } from 'redis-semaphore';
import { semaphore } from './helpers/semaphore.mjs';

export default semaphore({
  name: 'npm:redis-semaphore (one)',
  server: 'redis',
  mutexOn: ([client], name, options) => new Mutex(client, name, options),
});
