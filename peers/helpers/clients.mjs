// Clients for the servers that a redis:// or redlock:// URL names, as each of these packages wants them.
import { Redis } from 'ioredis';

export function clientsOf(url) {
  return url
    .replace(/^(redis|redlock):\/\//, '')
    .split(',')
    .map((address) => {
      const client = new Redis(`redis://${address}`);
      client.on('error', () => {}); // what fails is seen in the call that fails
      return client;
    });
}
