import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Relay } from '../../contract/relay.ts';
import { TestEtcd } from './test-support/etcd.ts';
import { eventually, World } from './test-support/world.ts';

let etcd: TestEtcd;
beforeAll(async () => {
  etcd = await TestEtcd.start({ members: 3, isolatable: true });
});
afterAll(() => etcd.stop());

const world = new World();
afterEach(() => world.end());

async function contenders(name: string): Promise<number> {
  return (await etcd.residue()).filter((key) => key.startsWith(`${name}/`)).length;
}

/**
 * Such a member goes on answering pings and serving watches, on which nothing happens any more. Who waits there would
 * find out by its next heartbeat, after 5 s, and by the deadline of that call, another 5 s later.
 */
it('a waiter at a member that is cut off from the others goes on at another, also behind a single address', async () => {
  const leader = await etcd.leader();
  const cutOff = (leader + 1) % 3;
  const address = await Relay.start(Number(new URL(etcd.endpoints[cutOff] as string).port));
  world.onEnd(() => address.close());
  const several = [cutOff, leader].map((index) => etcd.endpoints[index] as string);
  const holder = world.locks({ endpoints: [etcd.endpoints[leader] as string] }, { ttlMs: 60_000 }).locks;
  const waits = [several, [`http://127.0.0.1:${address.port}`]].map((endpoints, index) => ({
    name: `cut:${index}`,
    locks: world.locks({ endpoints }, { ttlMs: 60_000 }).locks,
  }));
  const held = await Promise.all(waits.map(({ name }) => holder.lock(name).acquire()));
  const waiting = waits.map(({ name, locks }) => locks.lock(name).acquire({ waitMs: 60_000 }));
  for (const { name } of waits) await eventually('two contenders', async () => (await contenders(name)) === 2);
  address.switchTo(Number(new URL(etcd.endpoints[leader] as string).port)); // for connections that are made from now on
  await etcd.isolate(cutOff);
  const releasedAt = performance.now();
  await Promise.all(held.map((lease) => lease.release()));
  const leases = await Promise.all(waiting);
  expect(performance.now() - releasedAt).toBeLessThan(8_000);
  await Promise.all(leases.map((lease) => lease.release()));
}, 60_000);
