import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { requestFor, soon } from '../../contract/cases/abilities.ts';
import { Relay } from '../../contract/relay.ts';
import type { AcquireRequest } from '../../core/backend.ts';
import { Instant, systemClock } from '../../core/clock.ts';
import { Survivor } from '../../test-support/survivor.ts';
import { EtcdClient } from './client.ts';
import { parseEndpoints } from './endpoints.ts';
import { TestEtcd } from './test-support/etcd.ts';
import { codeOf, eventually, World } from './test-support/world.ts';
import { Watches } from './watches.ts';

/** What a caller may be told while its server is not well. */
const EXPECTED = ['ABORTED', 'BUSY', 'LOST', 'OUTCOME_UNKNOWN', 'UNAVAILABLE'];

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
  const ttlMs = 30_000;
  const [held, kept, given, stays, leaves, late] = ['one', 'kept', 'given', 'one', 'one', 'one'].map((name) =>
    requestFor(`silent:${name}`, { ttlMs }),
  ) as [AcquireRequest, AcquireRequest, AcquireRequest, AcquireRequest, AcquireRequest, AcquireRequest];
  for (const request of [held, kept, given]) await backend.tryAcquire(request, soon());
  for (const request of [stays, leaves, late]) await backend.queue('enter', request, soon());
  etcd.signal(0, 'SIGSTOP');
  try {
    const deadline = () => Instant.plus(systemClock.now(), 300);
    const askedAt = performance.now();
    const outcomes = await Promise.all([
      codeOf(backend.tryAcquire(requestFor('x', { ttlMs }), deadline())),
      codeOf(backend.tryAcquire(requestFor('other TTL', { ttlMs: 20_000 }), deadline())), // which needs a lease first
      codeOf(backend.queue('enter', requestFor('y', { ttlMs }), deadline())),
      codeOf(backend.queue('stay', stays, deadline())),
      codeOf(backend.release(given, deadline())),
      codeOf(backend.withdraw(leaves, { mayArriveLate: false }, deadline())),
      codeOf(backend.withdraw(late, { mayArriveLate: true }, deadline())),
      codeOf(backend.inspect('x', deadline())),
      codeOf(backend.list(deadline())),
      codeOf(backend.breakLock('silent:one', deadline())),
    ]);
    expect(await backend.renew([kept], deadline())).toEqual(['unknown']);
    expect(performance.now() - askedAt).toBeLessThan(2_000);
    for (const code of outcomes) expect(['OUTCOME_UNKNOWN', 'UNAVAILABLE']).toContain(code);
  } finally {
    etcd.signal(0, 'SIGCONT');
  }
});

it('a program that takes no rejection lives on while its server is cut off, silent, stopped, and killed', async () => {
  const relay = await Relay.start(etcd.port);
  world.onEnd(() => relay.close());
  await world.locks({ endpoints: etcd.endpoints }, { ttlMs: 60_000 }).locks.lock('busy').acquire();
  const module = new URL('./test-support/backend.mjs', import.meta.url);
  const program = new Survivor(module, { endpoints: [`127.0.0.1:${relay.port}`] });
  world.onEnd(() => program.kill());
  await program.liveThrough(relay, {
    pause: () => etcd.signal(0, 'SIGSTOP'),
    resume: () => etcd.signal(0, 'SIGCONT'),
    kill: () => etcd.kill(0),
    start: () => etcd.startMember(0),
  });
  expect([await program.end(), program.complaints]).toEqual([0, '']);
  expect(program.seen.losses).toBeGreaterThan(0);
  for (const code of Object.keys(program.seen.errors)) expect(EXPECTED).toContain(code);
}, 60_000);

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
