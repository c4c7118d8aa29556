// What a worker process of the contract suite opens: the built backend, on the server at `data.port`, on the primary that
// `data.sentinels` name, or on the cluster of `data.nodes`.
import { fromIoredis, redisBackend } from 'holdfast/redis';
import { Cluster, Redis } from 'ioredis';

export default function open({ port, sentinels, nodes, options = {} }) {
  const client =
    nodes === undefined
      ? new Redis({
          ...(sentinels ? { sentinels, name: 'main' } : { host: '127.0.0.1', port }),
          maxRetriesPerRequest: 0,
        })
      : new Cluster(nodes);
  client.on('error', () => undefined);
  return redisBackend(fromIoredis(client), options);
}
