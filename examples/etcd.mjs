// A lock on etcd, and a write to the same etcd that etcd itself refuses once the lock is gone. The client comes along.
import { createLocks } from 'holdfast';
import { etcdBackend, heldClause } from 'holdfast/etcd';

const endpoints = (process.env.ETCD_ENDPOINTS ?? 'http://127.0.0.1:2379').split(',');
const backend = etcdBackend({ endpoints });
const locks = createLocks(backend, { ttlMs: 10_000 });

const clause = await locks.lock('order:1001').run(async (lease) => {
  console.log('holding, with a token:', lease.fencingToken > 0n);
  return heldClause(backend, lease); // for a transaction of yours: etcd itself refuses it once the lock is gone
});

/** A put in a transaction of our own, here through etcd's HTTP gateway; any client of etcd can do it. */
async function put(key, value, { key: lockKey, target, result, createRevision }) {
  const base64 = (text) => Buffer.from(text).toString('base64');
  const compare = [{ key: base64(lockKey), target, result, create_revision: createRevision }];
  const success = [{ requestPut: { key: base64(key), value: base64(value) } }];
  const answer = await fetch(`${endpoints[0]}/v3/kv/txn`, {
    method: 'POST',
    body: JSON.stringify({ compare, success }),
  });
  return (await answer.json()).succeeded === true;
}

await locks.lock('order:1001').run(async (lease) => {
  console.log('written while it is held:', await put('balance', '100', heldClause(backend, lease)));
});
console.log('written when it is over:', await put('balance', '0', clause));

await locks.close(); // gives back what is held, and ends the connection
