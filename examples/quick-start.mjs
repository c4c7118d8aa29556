// A lock among the processes of this machine: nothing to install but holdfast and, before Node 22.13, libsql.
import { DatabaseSync } from 'node:sqlite'; // before Node 22.13: import DatabaseSync from 'libsql';
import { createLocks } from 'holdfast';
import { sqliteBackend } from 'holdfast/sqlite';

const backend = sqliteBackend((path) => new DatabaseSync(path));
const locks = createLocks(backend, { ttlMs: 30_000 });
const lock = locks.lock('order:1001'); // no I/O yet

const receipt = await lock.run(
  async (lease) => {
    lease.assertHeld(); // reads the clock: before you write
    return charge({ fencingToken: lease.fencingToken, signal: lease.signal });
  },
  { waitMs: 5_000 },
);

const maybe = await lock.tryAcquire(); // null: somebody else holds it
console.log(receipt, maybe === null ? 'held by another' : 'ours');
await maybe?.release();
await locks.close();

/** Your work: hand the token to what you write to, and stop when the signal aborts. */
async function charge({ fencingToken, signal }) {
  signal.throwIfAborted();
  return `charged once, under token ${typeof fencingToken}`;
}
