// Run in a pid namespace of its own: a holder is killed, its number is given to another process, and a rival here asks
// for the lock. Prints both numbers and how long it took.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sqliteBackend } from '../../../../dist/backends/sqlite/index.mjs';
import { systemClock } from '../../../../dist/index.mjs';
import { loadEngine } from './engine.mjs';

const [directory] = process.argv.slice(2);
const request = (owner) => ({ name: 'x', owner, ttlMs: 60_000, heartbeatMs: 5_000, purpose: undefined });
const soon = () => systemClock.now() + 20_000;

const holder = fork(fileURLToPath(new URL('process.mjs', import.meta.url)), [JSON.stringify({ directory })], {
  serialization: 'advanced',
});
await once(holder, 'message');
holder.send([1, 'call', 'tryAcquire', request('holder')]);
const [[, error, granted]] = await once(holder, 'message');
if (error !== null || granted.outcome !== 'granted') throw new Error(`the holder does not hold: ${error?.message}`);

const gone = once(holder, 'exit');
holder.kill('SIGKILL');
await gone;
// The next process of this namespace gets the number after this one, unless another thread is started in between.
let impostor;
for (let tries = 0; tries < 20 && impostor?.pid !== holder.pid; tries++) {
  impostor?.kill('SIGKILL');
  writeFileSync('/proc/sys/kernel/ns_last_pid', String(holder.pid - 1));
  impostor = spawn('sleep', ['60'], { stdio: 'ignore' });
}
const askedMs = performance.now();
const backend = sqliteBackend((await loadEngine()).open, { directory });
const { outcome } = await backend.tryAcquire(request('rival'), soon());
console.log(
  JSON.stringify({ holderPid: holder.pid, impostorPid: impostor.pid, outcome, tookMs: performance.now() - askedMs }),
);
impostor.kill('SIGKILL');
await backend.close();
