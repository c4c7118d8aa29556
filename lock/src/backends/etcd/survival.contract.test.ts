import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { requestFor, soon } from '../../contract/cases/abilities.ts';
import { Instant, systemClock } from '../../core/clock.ts';
import { EtcdClient } from './client.ts';
import { parseEndpoints } from './endpoints.ts';
import { TestEtcd } from './test-support/etcd.ts';
import { codeOf, eventually, World } from './test-support/world.ts';
import { Watches } from './watches.ts';

let etcd: TestEtcd;
beforeAll(async () => {
  etcd = await TestEtcd.start();
});
afterAll(() => etcd.stop());

const world = new World();
afterEach(() => world.end());

it('members that are not there are passed over at once', async () => {
  const { endpoints } = etcd;
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

it('a watch on compacted history is cancelled by etcd, and the waiter reads again', async () => {
  const client = new EtcdClient({
    ...parseEndpoints(etcd.endpoints),
    tls: undefined,
    credentials: undefined,
    clock: systemClock,
  });
  const watches = new Watches(client);
  world.onEnd(() => client.close());
  world.onEnd(() => watches.close());
  for (let count = 0; count < 10; count++) await etcd.ctl('put', 'other', String(count));
  const { revision } = await client.range({ key: 'other' }, soon());
  await etcd.ctl('compact', String(revision));
  const news = await new Promise((resolve) => watches.watch('other', revision - 5n, resolve));
  expect(news).toBe('gap');
});

it('a lease that is revoked is lost at once for all its locks, and says so', async () => {
  const { locks } = world.locks({ endpoints: etcd.endpoints }, { ttlMs: 3_000 });
  const before = await etcd.leases();
  const leases = await Promise.all(['r1', 'r2', 'r3'].map((name) => locks.lock(name).acquire()));
  const [id] = (await etcd.leases()).filter((each) => !before.includes(each));
  await etcd.ctl('lease', 'revoke', id as string);
  await eventually('three losses', () => leases.every(({ signal }) => signal.aborted), 2_500);
  for (const { signal } of leases) expect((signal.reason as { reason: string }).reason).toBe('taken');
});

it('every call has a deadline, also where the server is silent', async () => {
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

it('a cluster that has lost its data has lost the locks, and says so', async () => {
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
