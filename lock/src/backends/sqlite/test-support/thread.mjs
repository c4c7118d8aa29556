// A thread with a backend object of its own: counts up, under a lock, what all threads share; or holds until it is ended.
import { parentPort, workerData } from 'node:worker_threads';
import { sqliteBackend } from '../../../../dist/backends/sqlite/index.mjs';
import { createLocks } from '../../../../dist/index.mjs';
import { loadEngine } from './engine.mjs';

const { directory, engine, counter, rounds, hold } = workerData;
try {
  const { open } = await loadEngine(engine);
  const locks = createLocks(sqliteBackend(open, { directory }), { ttlMs: hold ?? 30_000, waitMs: 60_000 });
  if (hold !== undefined) {
    await locks.lock('counter').acquire();
    parentPort.postMessage('held');
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  }
  const shared = new Int32Array(counter);
  for (let round = 0; round < rounds; round++) {
    await locks.lock('counter').run(async () => {
      const seen = shared[0];
      await new Promise((resolve) => setImmediate(resolve)); // others get every chance to come between
      shared[0] = seen + 1;
    });
  }
  await locks.close();
  parentPort.postMessage('done');
} catch (error) {
  parentPort.postMessage(error.code ?? error.message);
}
