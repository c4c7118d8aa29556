import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestEtcd } from './test-support/etcd.ts';
import { codeOf, eventually, World } from './test-support/world.ts';

const WATCHERS = 'etcd_debugging_mvcc_watcher_total';

const world = new World();
let etcd: TestEtcd;
beforeAll(async () => {
  etcd = await world.etcd();
});
afterAll(() => world.end());

it('10,000 locks, taken and waited for, leave no watcher, no lease and no key', async () => {
  const before = { keys: await etcd.residue(), leases: await etcd.leases(), watchers: await etcd.metric(WATCHERS) };
  const one = world.locks({ endpoints: etcd.endpoints }, { ttlMs: 30_000 }).locks;
  const two = world.locks({ endpoints: etcd.endpoints }, { ttlMs: 30_000 }).locks;
  for (let round = 0; round < 200; round++) {
    await Promise.all(
      Array.from({ length: 25 }, async (_, index) => {
        const name = `leak-${index}`;
        const lease = await one.lock(name).acquire({ waitMs: 60_000 });
        const outcome = two.lock(name).acquire({ waitMs: index % 2 === 0 ? 1 : 60_000 });
        const late = codeOf(outcome.then((waited) => waited.release()));
        if (index % 2 === 0) await late;
        await lease.release();
        await late;
      }),
    );
  }
  await one.close();
  await two.close();
  await eventually('no watchers', async () => (await etcd.metric(WATCHERS)) <= before.watchers);
  expect(await etcd.residue()).toEqual(before.keys);
  expect((await etcd.leases()).filter((lease) => !before.leases.includes(lease))).toEqual([]);
}, 240_000);
