import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { LockEvents } from '../../core/events.ts';
import type { Lease } from '../../core/lease.ts';
import type { Locks } from '../../core/lock.ts';
import { type CaseContext, type ContractCase, sleep, TTL_MS, until } from '../subject.ts';
import { needs, soon } from './abilities.ts';

export const waitingCases: readonly ContractCase[] = [
  {
    name: 'waiters of one process get the lock in the order in which they asked',
    async run(t) {
      const lock = (await t.locks()).lock(t.name());
      const order: number[] = [];
      const expected = Array.from({ length: 30 }, (_, index) => index);
      await Promise.all(expected.map((index) => lock.run(() => void order.push(index))));
      assert.deepEqual(order, expected);
    },
  },
  {
    name: 'waiters of several processes get the lock in the order in which they came',
    async run(t) {
      const name = t.name();
      const backend = needs.inspection(await t.backend());
      const long = { ttlMs: 10 * TTL_MS };
      const processes = await Promise.all([0, 1, 2].map(() => t.process(long)));
      const holder = await (await t.locks(long)).lock(name).acquire();
      const order: number[] = [];
      const turns: Promise<void>[] = [];
      for (const [index, process] of processes.entries()) {
        const turn = process.acquire(name, { waitMs: 20 * TTL_MS }).then(async (lease) => {
          order.push(index);
          await process.release(lease);
        });
        turns.push(turn);
        await until('one more in line', async () => (await backend.inspect(name, soon())).waiters.length > index);
      }
      await holder.release();
      await Promise.all(turns);
      assert.deepEqual(order, [0, 1, 2]);
    },
  },
  {
    name: 'waiters of several Locks objects get the lock in the order in which they came',
    async run(t) {
      const name = t.name();
      const holder = await (await t.locks()).lock(name).acquire();
      const order: number[] = [];
      const waits: Promise<void>[] = [];
      for (let index = 0; index < 6; index++) {
        const locks = await t.locks();
        await entersTheQueue(name, () => {
          waits.push(locks.lock(name).run(() => void order.push(index)));
        });
      }
      await holder.release();
      await Promise.all(waits);
      assert.deepEqual(order, [0, 1, 2, 3, 4, 5]);
    },
  },
  {
    name: 'a try does not barge in front of those who wait',
    async run(t) {
      const name = t.name();
      const [one, two, three] = [await t.locks(), await t.locks(), await t.locks()];
      const holder = await one.lock(name).acquire();
      let waited: Promise<Lease> | undefined;
      await entersTheQueue(name, () => {
        waited = two.lock(name).acquire();
      });
      const [, tried] = await Promise.all([holder.release(), three.lock(name).tryAcquire()]);
      assert.equal(tried, null);
      await (await waited)?.release();
    },
  },
  {
    name: 'a release wakes the waiter of another process at once, without its asking',
    async run(t) {
      const name = t.name();
      const [one, two] = [await t.locks({ ttlMs: 30_000 }), await t.locks({ ttlMs: 30_000 })];
      for (let round = 0; round < 10; round++) {
        const holder = await one.lock(name).acquire();
        let waited: Promise<Lease> | undefined;
        await entersTheQueue(name, () => {
          waited = two.lock(name).acquire();
        });
        const releasedAt = performance.now();
        await holder.release();
        await (await waited)?.release();
        // The heartbeat would bring it after 5,000 ms.
        assert.ok(performance.now() - releasedAt < 1_000, `hand-over took ${performance.now() - releasedAt} ms`);
      }
    },
  },
  {
    name: 'a wait that is aborted leaves nothing',
    run: (t) =>
      leavesNothing(t, async (locks, name) => {
        const abort = new AbortController();
        let code: Promise<unknown> | undefined;
        await entersTheQueue(name, () => {
          code = codeOf(locks.lock(name).acquire({ signal: abort.signal }));
        });
        abort.abort();
        assert.equal(await code, 'ABORTED');
      }),
  },
  {
    name: 'a wait that times out leaves nothing',
    run: (t) =>
      leavesNothing(t, async (locks, name) => {
        assert.equal(await codeOf(locks.lock(name).acquire({ waitMs: 150 })), 'BUSY');
      }),
  },
  {
    name: 'the others keep their order when one in the middle leaves',
    async run(t) {
      const name = t.name();
      const holder = await (await t.locks()).lock(name).acquire();
      const order: number[] = [];
      const waits: Promise<unknown>[] = [];
      const abort = new AbortController();
      for (let index = 0; index < 4; index++) {
        const locks = await t.locks();
        await entersTheQueue(name, () => {
          const options = index === 1 ? { signal: abort.signal } : {};
          waits.push(
            locks
              .lock(name)
              .run(() => void order.push(index), options)
              .catch(() => undefined),
          );
        });
      }
      abort.abort();
      await holder.release();
      await Promise.all(waits);
      assert.deepEqual(order, [0, 2, 3]);
    },
  },
  {
    name: 'a waiter outlives many heartbeats, and still gets the lock',
    async run(t) {
      const name = t.name();
      const [one, two] = [await t.locks({ ttlMs: TTL_MS }), await t.locks({ ttlMs: TTL_MS })];
      const holder = await one.lock(name).acquire();
      const waiting = two.lock(name).acquire();
      await sleep(1.5 * TTL_MS);
      assert.equal(holder.state, 'held');
      await holder.release();
      const lease = await waiting;
      await sleep(0.9 * TTL_MS); // the claim of a hand-over is shorter than this: renewals must have made it whole
      assert.equal(lease.state, 'held');
      await lease.release();
    },
  },
  {
    name: 'close ends the waits, and frees what is held',
    async run(t) {
      const name = t.name();
      const [one, two] = [await t.locks(), await t.locks()];
      const lease = await one.lock(name).acquire();
      const local = codeOf(one.lock(name).acquire());
      const rival = two.lock(name).acquire();
      await one.close();
      assert.equal(await local, 'CLOSED');
      assert.equal(lease.state, 'lost');
      const closedAt = performance.now();
      await (await rival).release();
      assert.ok(performance.now() - closedAt < TTL_MS / 2, 'close released the lock, so that no TTL had to pass');
    },
  },
];

async function leavesNothing(
  t: CaseContext,
  wait: (locks: Locks<Lease>, name: string) => Promise<void>,
): Promise<void> {
  const name = t.name();
  // With a long TTL what was left behind would stay for many seconds.
  const long = { ttlMs: 30_000 };
  const [one, two, three] = [await t.locks(long), await t.locks(long), await t.locks(long)];
  await one.lock(name).run(() => undefined); // what a first use leaves (a counter) is there before we look
  const before = await t.subject.residue?.();
  const holder = await one.lock(name).acquire();
  await wait(two, name);
  await holder.release();
  const lease = await three.lock(name).acquire({ waitMs: 4_000 });
  await lease.release();
  if (before === undefined) return;
  let after: readonly string[] = [];
  await until(
    'the same keys as before',
    async () => {
      after = (await t.subject.residue?.()) ?? [];
      return JSON.stringify(after) === JSON.stringify(before);
    },
    3_000,
  ).catch(() => assert.deepEqual(after, before));
}

/** The owners that were seen in the queue of a lock, by its name: no two cases share one. */
const queued = new Map<string, Set<string>>();

/**
 * Does something that begins a wait, and resolves when the backend has answered that one more is in the queue. Those who
 * were there before are answered the same with each of their heartbeats.
 */
async function entersTheQueue(name: string, begin: () => void): Promise<void> {
  const before = queued.get(name) ?? new Set();
  queued.set(name, before);
  let one: string | undefined;
  const listener = (event: unknown): void => {
    const { lockName, owner, outcome } = event as LockEvents['holdfast:attempt'];
    if (lockName === name && outcome === 'waiting' && !before.has(owner)) one = owner;
  };
  subscribe('holdfast:attempt', listener);
  try {
    begin();
    await until('an answer that one more waits in the queue', () => one !== undefined);
    before.add(one as unknown as string);
  } finally {
    unsubscribe('holdfast:attempt', listener);
  }
}

function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'resolved',
    (error: { code?: string }) => error.code ?? error,
  );
}
