import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { soon } from '../../contract/cases/abilities.ts';
import { TestEtcd } from './test-support/etcd.ts';
import { eventually, World } from './test-support/world.ts';

// What others keep in the same etcd, under the names of locks.

let etcd: TestEtcd;
beforeAll(async () => {
  etcd = await TestEtcd.start();
});
afterAll(() => etcd.stop());

const world = new World();
afterEach(() => world.end());

/** Long enough that a test which waits for it has failed. */
const LONG_MS = 60_000;

const configOf = (key: string): object => ({ code: 'CONFIG', message: expect.stringContaining(JSON.stringify(key)) });

const contentOf = async (key: string): Promise<string> => (await etcd.ctl('get', key, '--print-value-only')).trim();

it('a key without a lease is data: the lock is refused at once with its name, and nothing touches it', async () => {
  const { locks, backend } = world.locks({ endpoints: etcd.endpoints }, { ttlMs: LONG_MS });
  await etcd.ctl('put', 'cart/1', 'two apples');
  const before = await etcd.residue();
  const lock = locks.lock('cart');
  await expect(lock.tryAcquire()).rejects.toMatchObject(configOf('cart/1'));
  await expect(lock.acquire({ waitMs: LONG_MS })).rejects.toMatchObject(configOf('cart/1'));
  await expect(backend.inspect('cart', soon())).rejects.toMatchObject(configOf('cart/1'));
  await expect(backend.breakLock('cart', soon())).rejects.toMatchObject(configOf('cart/1'));
  expect(await backend.list(soon())).toEqual([]);
  expect(await etcd.residue()).toEqual(before);
  expect(await contentOf('cart/1')).toBe('two apples');
  // With a prefix of their own the locks do not meet it.
  await (await world.locks({ endpoints: etcd.endpoints, keyPrefix: 'locks/' }).locks.lock('cart').acquire()).release();
});

it('data that is put behind a holder takes nothing from him, nor from who waits already; those who come are refused', async () => {
  const [one, two, three] = [1, 2, 3].map(() => world.locks({ endpoints: etcd.endpoints }, { ttlMs: LONG_MS }));
  if (one === undefined || two === undefined || three === undefined) throw new Error('Three have been made.');
  const lease = await one.locks.lock('desk').acquire();
  const waiting = two.locks.lock('desk').acquire({ waitMs: LONG_MS });
  await eventually('the waiter', async () => (await one.backend.inspect('desk', soon())).waiters.length === 1);
  await etcd.ctl('put', 'desk/note', 'mind the step');
  expect(await three.locks.lock('desk').tryAcquire()).toBeNull();
  await expect(three.locks.lock('desk').acquire({ waitMs: LONG_MS })).rejects.toMatchObject(configOf('desk/note'));
  const { holder, waiters } = await three.backend.inspect('desk', soon());
  expect([holder?.owner, waiters.length]).toEqual([lease.owner, 1]);
  const { broken } = await three.backend.breakLock('desk', soon());
  expect(broken?.owner).toBe(lease.owner);
  await (await waiting).release();
  await expect(three.backend.breakLock('desk', soon())).rejects.toMatchObject(configOf('desk/note'));
  expect(await contentOf('desk/note')).toBe('mind the step');
});

it('data under a longer name is in the way of nobody', async () => {
  const { locks } = world.locks({ endpoints: etcd.endpoints });
  await etcd.ctl('put', 'shop/north/1', 'shelf');
  await (await locks.lock('shop').acquire()).release();
  await expect(locks.lock('shop/north').acquire()).rejects.toMatchObject(configOf('shop/north/1'));
});

it('a key on a lease that is not called after it is waited for, as Go does, and never broken', async () => {
  const { locks, backend } = world.locks({ endpoints: etcd.endpoints }, { ttlMs: LONG_MS });
  const lease = /lease ([0-9a-f]+) granted/.exec(await etcd.ctl('lease', 'grant', '60'))?.[1] as string;
  await etcd.ctl('put', 'service/web', '10.0.0.7:80', `--lease=${lease}`);
  expect(await locks.lock('service').tryAcquire()).toBeNull();
  expect((await backend.inspect('service', soon())).holder).toMatchObject({ owner: 'web', foreign: true });
  await expect(backend.breakLock('service', soon())).rejects.toMatchObject(configOf('service/web'));
  expect(await contentOf('service/web')).toBe('10.0.0.7:80');
  await etcd.ctl('lease', 'revoke', lease);
  await (await locks.lock('service').acquire()).release();
});
