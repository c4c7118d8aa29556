import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ContractCase, until } from '../subject.ts';

/** What may stay in the heap by chance, however long it runs. */
const HEAP_SLACK_BYTES = 20e6;

export const resourceCases: readonly ContractCase[] = [
  {
    name: '10,000 acquire and release leave no keys, listeners or memory',
    timeoutMs: 120_000,
    async run(t) {
      const locks = await t.locks({ ttlMs: 30_000 });
      const names = Array.from({ length: 20 }, () => t.name());
      const { signal } = new AbortController();
      const rounds = async (count: number): Promise<void> => {
        for (let round = 0; round < count; round++) {
          await Promise.all(names.map((name) => locks.lock(name).run(() => undefined, { signal })));
        }
      };
      await rounds(100);
      const before = { residue: await t.subject.residue?.(), heap: heapUsed() };
      await rounds(400);
      assert.deepEqual(await t.subject.residue?.(), before.residue);
      assert.equal(getEventListeners(signal, 'abort').length, 0);
      assert.ok(heapUsed() - before.heap < HEAP_SLACK_BYTES, `the heap grew by ${heapUsed() - before.heap} bytes`);
    },
  },
  {
    name: 'close leaves no timer, socket or listener',
    async run(t) {
      const before = resources();
      const locks = await t.locks();
      const rivals = await t.locks();
      const name = t.name();
      const lease = await locks.lock(name).acquire();
      const waiting = rivals.lock(name).acquire();
      await lease.release();
      await (await waiting).release();
      await locks.close();
      await rivals.close();
      await until(`resources as before: ${before.join(', ')}`, () => resources().length <= before.length, 3_000).catch(
        () => assert.deepEqual(resources(), before),
      );
    },
  },
];

/** What keeps this process alive, less what the test runner itself opens and closes meanwhile. */
function resources(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter(
      (kind) => !['Immediate', 'FSReqCallback', 'FSReqPromise', 'MessagePort', 'PipeWrap', 'Timeout'].includes(kind),
    )
    .sort();
}

/** What is in use after a collection: without one it is mostly what the last seconds have left behind. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
