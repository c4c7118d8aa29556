// Takes two locks, and says so: what it does to files on the way is watched from outside.
import { writeSync } from 'node:fs';
import { sqliteBackend } from '../../../../dist/backends/sqlite/index.mjs';
import { systemClock } from '../../../../dist/index.mjs';
import { loadEngine } from './engine.mjs';

const [directory] = process.argv.slice(2);
const backend = sqliteBackend((await loadEngine()).open, { directory });
for (const name of ['../../x', '/y']) {
  const request = { name, owner: name, ttlMs: 60_000, heartbeatMs: 5_000, purpose: undefined };
  const { fencingToken } = await backend.tryAcquire(request, systemClock.now() + 20_000);
  writeSync(1, `granted ${fencingToken}\n`);
}
await backend.close();
