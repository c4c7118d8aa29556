import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeBackend } from '../../contract/index.ts';
import { Relay } from '../../contract/relay.ts';
import { TestEtcd } from './test-support/etcd.ts';
import { doesNotApply, TELLING, underTest } from './test-support/under-test.ts';
import { eventually, sleep, World } from './test-support/world.ts';

let etcd: TestEtcd;
beforeAll(async () => {
  etcd = await TestEtcd.start({ members: 3 });
});
afterAll(() => etcd.stop());

const world = new World();
afterEach(() => world.end());

async function contenders(name: string): Promise<number> {
  return (await etcd.residue()).filter((key) => key.startsWith(`${name}/`)).length;
}

describeBackend({ afterAll, beforeAll, describe, it }, 'etcd, three members', {
  start: async () => ({ ...underTest(etcd), stop: async () => undefined }),
  only: TELLING,
  doesNotApply,
});

it('a leader that is killed costs no lease, and a waiter gets the lock', async () => {
  const { endpoints } = etcd;
  const ttlMs = 3_000;
  const lease = await world.locks({ endpoints }, { ttlMs }).locks.lock('l').acquire();
  const waiting = world.locks({ endpoints }, { ttlMs }).locks.lock('l').acquire({ waitMs: 30_000 });
  await eventually('two contenders', async () => (await contenders('l')) === 2);
  const leader = await etcd.leader();
  await etcd.kill(leader);
  await sleep(1.5 * ttlMs); // only renewals can have kept it
  expect(lease.state).toBe('held');
  const { fencingToken } = lease;
  await lease.release();
  const next = await waiting;
  expect(next.fencingToken).toBeGreaterThan(fencingToken);
  await next.release();
  etcd.startMember(leader);
  await etcd.answers();
});

// Where the leader is stopped, the others must notice it and elect another one before anybody is answered.
it.each([
  ['a member', 1, 2_500],
  ['the leader', 0, 6_000],
])('%s that is stopped is passed over: the lease is kept, and new locks are given', async (_, away, ttlMs) => {
  const leader = await etcd.leader();
  const stopped = (leader + away) % 3;
  const endpoints = [0, 1, 2].map((turn) => etcd.endpoints[(stopped + turn) % 3] as string);
  const { locks } = world.locks({ endpoints }, { ttlMs });
  const lease = await locks.lock('f').acquire();
  const waiting = world.locks({ endpoints }, { ttlMs }).locks.lock('f').acquire({ waitMs: 30_000 });
  await eventually('two contenders', async () => (await contenders('f')) === 2);
  etcd.signal(stopped, 'SIGSTOP');
  try {
    const askedAt = performance.now();
    const other = await locks.lock('g').acquire({ waitMs: 10_000 });
    expect(performance.now() - askedAt).toBeLessThan(ttlMs + 500);
    await sleep(1.2 * ttlMs);
    expect(lease.state).toBe('held');
    await other.release();
    const releasedAt = performance.now();
    await lease.release();
    await (await waiting).release();
    expect(performance.now() - releasedAt).toBeLessThan(ttlMs);
  } finally {
    etcd.signal(stopped, 'SIGCONT');
  }
});

it('history that is compacted while somebody waits behind a cut link does not hold him up', async () => {
  const relay = await Relay.start(etcd.port);
  world.onEnd(() => relay.close());
  for (const releasedDuringTheCut of [false, true]) {
    const name = `c-${releasedDuringTheCut}`;
    const lease = await world.locks({ endpoints: etcd.endpoints }, { ttlMs: 20_000 }).locks.lock(name).acquire();
    const through = world.locks({ endpoints: [`127.0.0.1:${relay.port}`] }, { ttlMs: 20_000 });
    const waiting = through.locks.lock(name).acquire({ waitMs: 30_000 });
    await eventually('two contenders', async () => (await contenders(name)) === 2);
    relay.cut();
    for (let count = 0; count < 5; count++) await etcd.ctl('put', 'other', String(count));
    const status = await etcd.ctl('endpoint', 'status', '--write-out=json');
    const revision = /"revision":(\d+)/.exec(status)?.[1] as string;
    await etcd.ctl('compact', revision);
    if (releasedDuringTheCut) await lease.release();
    relay.heal();
    await sleep(500);
    const releasedAt = performance.now();
    if (!releasedDuringTheCut) await lease.release();
    await (await waiting).release();
    expect(performance.now() - releasedAt).toBeLessThan(2_000);
    await etcd.ctl('del', 'other');
  }
});
