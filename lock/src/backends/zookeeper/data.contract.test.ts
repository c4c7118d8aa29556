import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { soon } from '../../contract/cases/abilities.ts';
import { until } from '../../contract/subject.ts';
import type { ZooKeeperClient } from './client/client.ts';
import { CreateMode, OPEN_ACL } from './client/protocol.ts';
import { zookeeperBackend } from './index.ts';
import { whyNoZooKeeper, ZooKeeperServer } from './test-support/servers.ts';
import { warmUp } from './test-support/under-test.ts';
import { World } from './test-support/world.ts';

// What others keep below the nodes of locks.

const missing = whyNoZooKeeper();

const world = new World();
afterEach(() => world.end());

/** Long enough that a test which waits for it has failed. */
const WAIT_MS = 60_000;

describe.skipIf(missing !== undefined)('a ZooKeeper lock beside nodes that stay', () => {
  let server: ZooKeeperServer;
  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    await warmUp(server.address);
  }, 60_000);
  afterAll(() => server?.stop());

  // Sessions so long that a server which other work holds up ends none.
  const locks = () => world.locks(server.address, { ttlMs: 30_000 });

  const look = () => {
    const backend = zookeeperBackend(server.address);
    world.onEnd(() => backend.close());
    return backend;
  };

  const put = async (
    client: ZooKeeperClient,
    name: string,
    child: string,
    mode: CreateMode = CreateMode.persistent,
  ) => {
    const node = { mode, acl: OPEN_ACL };
    await client
      .create(`/holdfast/${name}`, { ...node, mode: CreateMode.container, data: Buffer.alloc(0) })
      .catch(() => undefined);
    await client.create(`/holdfast/${name}/${child}`, { ...node, data: Buffer.from('theirs') });
  };

  const childrenOf = async (client: ZooKeeperClient, name: string): Promise<readonly string[]> =>
    (await client.getChildren(`/holdfast/${name}`)).children.toSorted();

  const configOf = (path: string): object => ({ code: 'CONFIG', message: expect.stringContaining(`"${path}"`) });

  it('is refused at once behind one, with its path, and nothing touches it', async () => {
    const [client, backend] = [await world.client(server.address), look()];
    await (await locks().lock('kart').acquire()).release();
    for (const mode of [CreateMode.persistent, CreateMode.container]) {
      const name = `kart-${mode}`;
      await put(client, name, '0', mode); // before all numbers, in the order of Curator
      const lock = locks().lock(name);
      const refusal = configOf(`/holdfast/${name}/0`);
      await expect(lock.tryAcquire()).rejects.toMatchObject(refusal);
      await expect(lock.acquire({ waitMs: WAIT_MS })).rejects.toMatchObject(refusal);
      await expect(backend.inspect(name, soon())).rejects.toMatchObject(refusal);
      await expect(backend.breakLock(name, soon())).rejects.toMatchObject(refusal);
      expect((await backend.list(soon())).map((report) => report.name)).not.toContain(name);
      expect(await childrenOf(client, name)).toEqual(['0']);
    }
    expect((await client.getData('/holdfast/kart-0/0')).data.toString()).toBe('theirs');
  });

  it('is had before one; nobody is said to hold because of it, and a break takes only the holder', async () => {
    const [client, backend] = [await world.client(server.address), look()];
    await (await locks().lock('cart').acquire()).release();
    await put(client, 'cart', 'xdata');
    expect(await backend.inspect('cart', soon())).toMatchObject({ holder: null, waiters: [] });
    expect((await backend.list(soon())).map(({ name }) => name)).not.toContain('cart');
    expect((await backend.breakLock('cart', soon())).broken).toBeNull();
    const lease = await locks().lock('cart').acquire();
    expect(await backend.inspect('cart', soon())).toMatchObject({ holder: { owner: lease.owner }, waiters: [] });
    expect((await backend.breakLock('cart', soon())).broken?.owner).toBe(lease.owner);
    expect((await backend.breakLock('cart', soon())).broken).toBeNull();
    expect(await childrenOf(client, 'cart')).toEqual(['xdata']);
  });

  it('is given back in a transfer although one has come in between; the next here is refused, and leaves nothing', async () => {
    const client = await world.client(server.address);
    const lock = locks().lock('shop');
    const lease = await lock.acquire();
    const waiting = expect(lock.acquire({ waitMs: WAIT_MS })).rejects.toMatchObject(configOf('/holdfast/shop/0'));
    await put(client, 'shop', '0');
    await lease.release();
    await waiting;
    await until('nothing but theirs', async () => (await childrenOf(client, 'shop')).join() === '0');
  });
});
