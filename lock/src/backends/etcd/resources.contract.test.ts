import { afterAll, beforeAll, expect, it } from 'vitest';
import { requestFor, soon } from '../../contract/cases/abilities.ts';
import type { AcquireRequest } from '../../core/backend.ts';
import { Instant, systemClock } from '../../core/clock.ts';
import type { Lease } from '../../core/lease.ts';
import { EtcdClient } from './client.ts';
import { parseEndpoints } from './endpoints.ts';
import type { EtcdBackend } from './index.ts';
import type { TestEtcd } from './test-support/etcd.ts';
import { eventually, sleep, World } from './test-support/world.ts';

const world = new World();
let etcd: TestEtcd;
beforeAll(async () => {
  etcd = await world.etcd();
});
afterAll(() => world.end());

/** Hundreds at once may take a loaded machine longer than the deadline of one call. */
async function takeAll(backend: EtcdBackend, requests: readonly AcquireRequest[]): Promise<void> {
  for (let at = 0; at < requests.length; at += 50) {
    const answers = await Promise.all(requests.slice(at, at + 50).map((each) => backend.tryAcquire(each, soon())));
    expect(answers.every(({ outcome }) => outcome === 'granted')).toBe(true);
  }
}

const RENEWALS = 'etcd_debugging_lease_renewed_total';

it('one call keeps hundreds of locks alive for a period, and finds the one whose key is gone', async () => {
  const { backend } = world.locks({ endpoints: etcd.endpoints });
  const ttlMs = 12_000;
  const requests = Array.from({ length: 300 }, (_, index) => requestFor(`many-${index}`, { ttlMs }));
  await takeAll(backend, requests);
  await sleep(ttlMs / 6 + 200); // a lease that is younger than a sixth of its TTL needs no renewal
  await etcd.ctl('del', '--prefix', 'many-217/');
  const [renewals, reads] = [await etcd.metric(RENEWALS), await etcd.calls('Txn')];
  const answers = await backend.renew(requests, soon());
  expect((await etcd.metric(RENEWALS)) - renewals).toBe(1);
  expect((await etcd.calls('Txn')) - reads).toBe(Math.ceil(300 / 128)); // the reads of the keys themselves
  expect(answers.flatMap((answer, index) => (answer === 'lost' ? [index] : []))).toEqual([217]);
  await backend.close(); // which ends the lease, and with it all locks on it
}, 60_000);

it('each release wakes exactly one waiter, the next in line', async () => {
  const eventsSent = (): Promise<number> => etcd.metric('etcd_debugging_mvcc_events_total');
  const locks = Array.from({ length: 6 }, () =>
    world.locks({ endpoints: etcd.endpoints }, { ttlMs: 60_000, renew: false }).locks.lock('line'),
  );
  const waits: Promise<Lease>[] = [];
  for (const [index, lock] of locks.entries()) {
    waits.push(lock.acquire({ waitMs: 60_000 }));
    const inLine = async () => (await etcd.residue()).filter((key) => key.startsWith('line/')).length;
    await eventually(`${index + 1} in line`, async () => (await inLine()) === index + 1);
  }
  const before = await eventsSent();
  for (const [index, wait] of waits.entries()) {
    const lease = await wait;
    expect((await eventsSent()) - before).toBe(index);
    await lease.release();
  }
  expect((await eventsSent()) - before).toBe(waits.length - 1); // nobody waited for the last one
});

it('a lock that is taken again and again has the same key each time, so that etcd gets no slower', async () => {
  const { locks, backend } = world.locks({ endpoints: etcd.endpoints }, { ttlMs: 30_000 });
  const keys = new Set<string | undefined>();
  for (let round = 0; round < 20; round++) {
    await locks.lock('same').run(({ owner }) => {
      keys.add(backend.holdOf(owner)?.key);
    });
  }
  expect([...keys]).toEqual([expect.stringMatching(/^same\/[0-9a-f]+-1$/)]);
});

it('a renewal of the lease while many locks are given back takes the answer from none of them', async () => {
  const { backend } = world.locks({ endpoints: etcd.endpoints });
  const answers = new Map<string, number>();
  const endsAt = performance.now() + 2_000; // more than five renewals of a lease of 1 s
  await Promise.all(
    Array.from({ length: 64 }, async (_, index) => {
      while (performance.now() < endsAt) {
        const request = requestFor(`back-${index}`, { ttlMs: 1_000 });
        await backend.queue('enter', request, soon());
        const answer = await backend.release(request, soon());
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
    }),
  );
  expect([...answers.keys()]).toEqual(['released']);
});

it('a hold that its owner does not renew ends although others keep its lease alive', async () => {
  const { locks } = world.locks({ endpoints: etcd.endpoints }, { ttlMs: 1_000 });
  const kept = await locks.lock('kept').acquire();
  const left = await locks.lock('left', { renew: false }).acquire();
  const rival = await world.locks({ endpoints: etcd.endpoints }).locks.lock('left').acquire({ waitMs: 10_000 });
  expect(left.state).toBe('lost');
  expect(kept.state).toBe('held');
  await rival.release();
  await kept.release();
});

it('a lock whose name begins like that of another is a lock of its own, also for those who wait', async () => {
  const holders = world.locks({ endpoints: etcd.endpoints }, { ttlMs: 10_000 }).locks;
  const nested = await Promise.all(['a/b', 'a/b/c', 'a/1', 'a//'].map((name) => holders.lock(name).acquire()));
  const lease = await holders.lock('a').tryAcquire();
  expect(lease).not.toBeNull();
  expect(await world.locks({ endpoints: etcd.endpoints }).locks.lock('a').tryAcquire()).toBeNull();
  const order: number[] = [];
  const waits: Promise<void>[] = [];
  for (const place of [1, 2, 3]) {
    waits.push(
      world
        .locks({ endpoints: etcd.endpoints })
        .locks.lock('a')
        .run(() => void order.push(place)),
    );
    await eventually(
      `${place} waiters`,
      async () => (await etcd.residue()).filter((key) => /^a\/[^/]+$/.test(key)).length === 1 + place,
    );
    const between = holders.lock(`a/between-${place}`);
    nested.push(await between.acquire());
  }
  await lease?.release();
  await Promise.all(waits);
  expect(order).toEqual([1, 2, 3]);
  for (const each of nested) await each.release();
});

it('a request that arrives after it was withdrawn finds its tombstone, which goes with its lease', async () => {
  const { backend } = world.locks({ endpoints: etcd.endpoints });
  const late = requestFor('late', { ttlMs: 1_000 });
  await backend.tryAcquire(requestFor('late', { ttlMs: 1_000 }), soon());
  await backend.queue('enter', late, soon());
  const client = new EtcdClient({
    ...parseEndpoints(etcd.endpoints),
    tls: undefined,
    credentials: undefined,
    clock: systemClock,
  });
  world.onEnd(() => client.close());
  const { kvs } = await client.range({ key: 'late/', rangeEnd: 'late0' }, soon());
  const own = kvs.find(({ value }) => value.includes(late.owner));
  if (own === undefined) throw new Error('The waiter has no key.');
  await backend.withdraw(late, { mayArriveLate: true }, soon());
  // The very transaction that had taken the place, once more.
  const tombstone = own.key.replace('late/', 'late\0');
  const again = await client.transaction(
    'a late request',
    {
      compare: [
        { key: own.key, createRevision: 0n },
        { key: tombstone, createRevision: 0n },
      ],
      success: [{ put: { key: own.key, value: own.value, lease: own.lease } }],
      failure: [],
    },
    soon(),
  );
  expect(again.succeeded).toBe(false);
  await eventually(
    'the end of the tombstone',
    async () => (await client.range({ key: tombstone }, soon())).kvs.length === 0,
  );
  expect((await backend.queue('enter', late, soon())).outcome).toBe('gone');
});

it('a TTL is granted in whole seconds, and the lease says so and is renewed for as long', async () => {
  const { locks } = world.locks({ endpoints: etcd.endpoints }, { ttlMs: 1_200 });
  const lease = await locks.lock('floor').acquire();
  expect(lease.ttlMs).toBe(2_000);
  await sleep(1_500);
  expect(lease.state).toBe('held');
  expect(lease.ttlMs).toBe(2_000);
  expect(lease.remainingMs).toBeGreaterThan(1_000);
  await lease.release();
});

it('a process that does nothing else may end while its backend is open', async () => {
  const { backend } = world.locks({ endpoints: etcd.endpoints });
  await backend.tryAcquire(requestFor('idle'), Instant.plus(systemClock.now(), 2_000));
  expect(process.getActiveResourcesInfo()).not.toContain('TCPSocketWrap');
});
