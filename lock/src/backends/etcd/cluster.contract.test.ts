import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { requestFor, soon } from '../../contract/cases/abilities.ts';
import { Relay } from '../../contract/relay.ts';
import { Instant, systemClock } from '../../core/clock.ts';
import { EtcdClient } from './client.ts';
import { parseEndpoints } from './endpoints.ts';
import { codeOf, eventually, sleep, World } from './test-support/world.ts';
import { Watches } from './watches.ts';

const world = new World();
afterEach(() => world.end());

it('a leader that is killed costs no lease, and a waiter gets the lock', async () => {
  const etcd = await world.etcd({ members: 3 });
  const { endpoints } = etcd;
  const lease = await world.locks({ endpoints }, { ttlMs: 4_000 }).locks.lock('l').acquire();
  const waiting = world.locks({ endpoints }, { ttlMs: 4_000 }).locks.lock('l').acquire({ waitMs: 30_000 });
  await sleep(200);
  await etcd.kill(await etcd.leader());
  await sleep(6_000); // longer than the TTL: only renewals can have kept it
  expect(lease.state).toBe('held');
  const { fencingToken } = lease;
  await lease.release();
  const next = await waiting;
  expect(next.fencingToken).toBeGreaterThan(fencingToken);
  await next.release();
});

it('a member that is stopped is passed over: the lease is kept, and new locks are given', async () => {
  const etcd = await world.etcd({ members: 3 });
  const leader = await etcd.leader();
  const stopped = (leader + 1) % 3; // not the leader, so that the cluster itself goes on
  const third = (leader + 2) % 3;
  const endpoints = [stopped, leader, third].map((index) => etcd.endpoints[index] as string);
  const { locks } = world.locks({ endpoints }, { ttlMs: 3_000 });
  const lease = await locks.lock('f').acquire();
  etcd.signal(stopped, 'SIGSTOP');
  try {
    const askedAt = performance.now();
    const other = await locks.lock('g').acquire({ waitMs: 5_000 });
    expect(performance.now() - askedAt).toBeLessThan(3_000);
    await sleep(4_000);
    expect(lease.state).toBe('held');
    await other.release();
    await lease.release();
  } finally {
    etcd.signal(stopped, 'SIGCONT');
  }
});

it('members that are not there are passed over at once', async () => {
  const { endpoints } = await world.etcd();
  const { locks } = world.locks({ endpoints: ['127.0.0.1:1', '127.0.0.1:2', ...endpoints] });
  const askedAt = performance.now();
  await (await locks.lock('m').acquire()).release();
  expect(performance.now() - askedAt).toBeLessThan(1_000);
});

it('an etcd that is away is called so, in time', async () => {
  const { locks } = world.locks({ endpoints: ['127.0.0.1:1'] });
  expect(await codeOf(locks.lock('n').tryAcquire())).toBe('UNAVAILABLE');
  const askedAt = performance.now();
  expect(await codeOf(locks.lock('n').acquire({ waitMs: 500 }))).toBe('UNAVAILABLE');
  expect(performance.now() - askedAt).toBeLessThan(2_000);
});

it('history that is compacted while somebody waits behind a cut link does not hold him up', async () => {
  const etcd = await world.etcd();
  const relay = await Relay.start(etcd.port);
  world.onEnd(() => relay.close());
  for (const releasedDuringTheCut of [false, true]) {
    const name = `c-${releasedDuringTheCut}`;
    const lease = await world.locks({ endpoints: etcd.endpoints }, { ttlMs: 20_000 }).locks.lock(name).acquire();
    const through = world.locks({ endpoints: [`127.0.0.1:${relay.port}`] }, { ttlMs: 20_000 });
    const waiting = through.locks.lock(name).acquire({ waitMs: 30_000 });
    await eventually('two contenders', async () => (await etcd.residue()).length === 2);
    relay.cut();
    for (let count = 0; count < 20; count++) await etcd.ctl('put', 'other', String(count));
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

it('a watch on compacted history is cancelled by etcd, and the waiter reads again', async () => {
  const etcd = await world.etcd();
  const client = new EtcdClient({
    ...parseEndpoints(etcd.endpoints),
    tls: undefined,
    credentials: undefined,
    clock: systemClock,
  });
  const watches = new Watches(client);
  world.onEnd(() => client.close());
  world.onEnd(() => watches.close());
  for (let count = 0; count < 20; count++) await etcd.ctl('put', 'other', String(count));
  const { revision } = await client.range({ key: 'other' }, soon());
  await etcd.ctl('compact', String(revision));
  const news = await new Promise((resolve) => watches.watch('other', revision - 5n, resolve));
  expect(news).toBe('gap');
});

it('a cluster that has lost its data has lost the locks, and says so', async () => {
  const etcd = await world.etcd();
  const { locks } = world.locks({ endpoints: etcd.endpoints }, { ttlMs: 6_000 });
  const lease = await locks.lock('d').acquire();
  await etcd.kill(0);
  rmSync(join(etcd.folder, 'e1'), { recursive: true });
  etcd.startMember(0);
  await etcd.answers();
  await eventually('the loss', () => lease.signal.aborted);
  expect((lease.signal.reason as { reason: string }).reason).toBe('taken');
  await (await locks.lock('d').acquire()).release();
});

it('a lease that is revoked is lost at once for all its locks, and says so', async () => {
  const etcd = await world.etcd();
  const { locks } = world.locks({ endpoints: etcd.endpoints }, { ttlMs: 3_000 });
  const leases = await Promise.all(['r1', 'r2', 'r3'].map((name) => locks.lock(name).acquire()));
  const [id] = await etcd.leases();
  await etcd.ctl('lease', 'revoke', id as string);
  await eventually('three losses', () => leases.every(({ signal }) => signal.aborted), 2_500);
  for (const { signal } of leases) expect((signal.reason as { reason: string }).reason).toBe('taken');
});

it('every call has a deadline, also where the server is silent', async () => {
  const etcd = await world.etcd();
  const { backend } = world.locks({ endpoints: etcd.endpoints });
  await backend.tryAcquire(requestFor('warm'), soon());
  etcd.signal(0, 'SIGSTOP');
  try {
    const deadline = () => Instant.plus(systemClock.now(), 300);
    const askedAt = performance.now();
    const outcomes = await Promise.all([
      codeOf(backend.tryAcquire(requestFor('x'), deadline())),
      codeOf(backend.queue('enter', requestFor('y'), deadline())),
      codeOf(backend.inspect('x', deadline())),
      codeOf(backend.list(deadline())),
    ]);
    expect(performance.now() - askedAt).toBeLessThan(1_500);
    for (const code of outcomes) expect(['OUTCOME_UNKNOWN', 'UNAVAILABLE']).toContain(code);
  } finally {
    etcd.signal(0, 'SIGCONT');
  }
});
