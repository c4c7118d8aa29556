import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TestEtcd } from './test-support/etcd.ts';
import { codeOf, eventually, sleep, World } from './test-support/world.ts';

const credentials = { user: 'worker', password: 'first' };

let etcd: TestEtcd;
beforeAll(async () => {
  etcd = await TestEtcd.start({ members: 3, args: ['--bcrypt-cost', '4', '--auth-token-ttl', '1'] });
});
afterAll(() => etcd.stop());

const world = new World();
afterEach(() => world.end());

it('credentials do no harm where etcd has no logins', async () => {
  const { endpoints } = etcd;
  const lease = await world.locks({ endpoints, credentials }).locks.lock('t').acquire();
  await lease.release();
});

describe('where `worker` may touch what begins with `locks/`', () => {
  beforeAll(async () => {
    await etcd.ctl('user', 'add', 'root:secret');
    await etcd.ctl('user', 'grant-role', 'root', 'root');
    await etcd.ctl('role', 'add', 'locks');
    await etcd.ctl('role', 'grant-permission', 'locks', 'readwrite', '--prefix=true', 'locks/');
    await etcd.ctl('user', 'add', 'worker:first');
    await etcd.ctl('user', 'grant-role', 'worker', 'locks');
    await etcd.ctl('auth', 'enable');
  });

  it('a wrong password, a missing one and a role for other keys say so', async () => {
    const { endpoints } = etcd;
    const wrong = { endpoints, credentials: { user: 'worker', password: 'guess' }, keyPrefix: 'locks/' };
    const missing = { endpoints, keyPrefix: 'locks/' };
    const elsewhere = { endpoints, credentials, keyPrefix: 'config/' };
    for (const settings of [wrong, missing, elsewhere]) {
      expect(await codeOf(world.locks(settings).locks.lock('t').tryAcquire())).toBe('ACCESS_DENIED');
      expect(await codeOf(world.locks(settings).locks.lock('t').acquire({ waitMs: 3_000 }))).toBe('ACCESS_DENIED');
    }
  });

  it('a role for one prefix is enough, and a login that has run out or been forgotten is made again by itself', async () => {
    const settings = { endpoints: etcd.endpoints, credentials, keyPrefix: 'locks/' };
    const { locks } = world.locks(settings, { ttlMs: 5_000 });
    const lease = await locks.lock('t').acquire();
    const waiting = world.locks(settings, { ttlMs: 5_000 }).locks.lock('t').acquire({ waitMs: 20_000 });
    await sleep(2_000); // a login lives for a second without use, and renewals are further apart
    await etcd.restart(); // forgets all logins
    await sleep(2_000);
    await lease.confirm();
    expect(lease.state).toBe('held');
    const releasedAt = performance.now();
    await lease.release();
    await (await waiting).release();
    expect(performance.now() - releasedAt).toBeLessThan(2_000);
  });

  it('a member that is killed takes a login with it that has run out at the others: another one is made there', async () => {
    const settings = { endpoints: etcd.endpoints, credentials, keyPrefix: 'locks/' };
    const lease = await world.locks(settings, { ttlMs: 6_000 }).locks.lock('t').acquire();
    const waiting = world.locks(settings, { ttlMs: 6_000 }).locks.lock('t').acquire({ waitMs: 30_000 });
    await sleep(1_500); // a login that nobody uses lives for a second, at each member by itself
    await etcd.kill(0); // the first of the addresses, to which both are connected
    try {
      // Another renewal, which went away with the member, may put the lease at risk once more.
      const isHeld = async () => (await codeOf(lease.confirm())) === undefined && lease.state === 'held';
      await eventually('an answer of another member', isHeld);
      const releasedAt = performance.now();
      await lease.release();
      await (await waiting).release();
      expect(performance.now() - releasedAt).toBeLessThan(2_000);
    } finally {
      etcd.startMember(0);
      await etcd.answers();
    }
  });

  it('with a password that is not right any more the release is refused, and the lock is free by its TTL', async () => {
    const settings = { endpoints: etcd.endpoints, credentials, keyPrefix: 'locks/' };
    const lease = await world.locks(settings).locks.lock('t').acquire();
    await etcd.ctlWithInput('second\n', '--user', 'root:secret', 'user', 'passwd', 'worker', '--interactive=false');
    await etcd.restart();
    expect(['ACCESS_DENIED', 'LOST']).toContain(await codeOf(lease.release()));
    const other = { ...settings, credentials: { user: 'worker', password: 'second' } };
    const next = await world.locks(other).locks.lock('t').acquire({ waitMs: 8_000 });
    await next.release();
  });
});
