// What a worker process of the contract suite opens: the built backend, on the server at `data.port`.
import { fromIoredis, redisBackend } from 'holdfast/redis';
import { Redis } from 'ioredis';

export default function open({ port, options = {} }) {
  const client = new Redis({ host: '127.0.0.1', port, maxRetriesPerRequest: 0 });
  client.on('error', () => undefined);
  return redisBackend(fromIoredis(client), options);
}
