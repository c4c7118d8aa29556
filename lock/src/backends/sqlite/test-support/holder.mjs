// Holds a lock for three seconds and listens to nothing; then prints how it ended, and whether a lock can be had.
import { sqliteBackend } from '../../../../dist/backends/sqlite/index.mjs';
import { createLocks } from '../../../../dist/index.mjs';
import { loadEngine } from './engine.mjs';

const [directory] = process.argv.slice(2);
const locks = createLocks(sqliteBackend((await loadEngine()).open, { directory }), { ttlMs: 1_500, callMs: 5_000 });
const lease = await locks.lock('x').acquire();
const losses = [];
const heldSince = performance.now();
lease.signal.addEventListener('abort', () => {
  losses.push({ reason: lease.signal.reason.reason, afterMs: performance.now() - heldSince });
});
console.log('held');
await new Promise((resolve) => setTimeout(resolve, 3_000));
const next = await locks
  .lock('y')
  .tryAcquire()
  .then(
    (other) => (other === null ? 'busy' : 'granted'),
    (error) => error.code,
  );
console.log(JSON.stringify({ losses, state: lease.state, next }));
await locks.close();
