// A lock in ZooKeeper: the one that Curator's InterProcessMutex takes on the same path. The client comes along.
import { createLocks } from 'holdfast';
import { zookeeperBackend } from 'holdfast/zookeeper';

const backend = zookeeperBackend(process.env.ZOOKEEPER_SERVERS ?? '127.0.0.1:2181');
const locks = createLocks(backend, { ttlMs: 10_000 });

await locks.lock('order:1001').run(async (lease) => {
  console.log('holding, with a token:', lease.fencingToken > 0n);
  console.log('in Java:', `new InterProcessMutex(client, "${backend.pathOf('order:1001')}")`);
});

await locks.close(); // gives back what is held, and ends the sessions
