// What a worker process of the contract suite opens: the built backend, on the servers at `data.ports`.

import { fromIoredis } from 'holdfast/redis';
import { redlockBackend } from 'holdfast/redlock';
import { Redis } from 'ioredis';

export default function open({ ports }) {
  const clients = ports.map((port) => {
    const client = new Redis({ host: '127.0.0.1', port, maxRetriesPerRequest: 0 });
    client.on('error', () => undefined);
    return client;
  });
  return redlockBackend(clients.map(fromIoredis));
}
