// A holder that is stopped between its last check and its write, as a process of its own. It writes the same number twice,
// once in a transaction that compares the hold, and once without. Arguments: endpoint, lock name, key prefix.

import { etcdBackend, heldClause } from '../../../../dist/backends/etcd/index.mjs';
import { createLocks } from '../../../../dist/index.mjs';

const [endpoint, name, keys] = process.argv.slice(2);
const backend = etcdBackend({ endpoints: [endpoint] });
const lease = await createLocks(backend, { ttlMs: 2_000 }).lock(name).acquire();
const clause = heldClause(backend, lease);
lease.assertHeld(); // its last look
let last = performance.now();
console.log('checked');

// The stop falls into this loop: nothing else of this process runs in between, so that the write is what comes next.
for (let now = performance.now(); now - last < 1_000; last = now, now = performance.now());

const base64 = (text) => Buffer.from(text).toString('base64');
const write = async (key, compare) => {
  const body = { compare, success: [{ requestPut: { key: base64(key), value: base64('stale') } }] };
  const answer = await fetch(`${endpoint}/v3/kv/txn`, { method: 'POST', body: JSON.stringify(body) });
  return (await answer.json()).succeeded === true;
};
const { key, target, result, createRevision } = clause;
const guarded = await write(`${keys}guarded`, [{ key: base64(key), target, result, create_revision: createRevision }]);
const unguarded = await write(`${keys}unguarded`, []);
console.log(JSON.stringify({ guarded, unguarded, state: lease.state }));
process.exit(0);
