import { createSentinel } from '@redis/client';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLocks, type FencedLease } from '../../index.ts';
import { fromIoredis, fromNodeRedis, type RedisCommands, redisBackend, TooFewReplicasError } from './index.ts';
import type { RedisServer } from './test-support/redis-server.ts';
import { Replication } from './test-support/replication.ts';
import { until } from './test-support/requests.ts';
import { PRIMARY_NAME, startSentinel } from './test-support/sentinel.ts';

let primary: RedisServer;
let replica: RedisServer;
let sentinel: RedisServer;

beforeEach(async () => {
  const servers = await Replication.start(1);
  primary = servers.primary;
  [replica] = servers.replicas as [RedisServer];
  sentinel = await startSentinel(primary, { replicas: 1, downAfterMs: 500 });
}, 60_000);
afterEach(async () => {
  for (const server of [sentinel, replica, primary]) await server.stop();
});

interface Opened {
  readonly commands: RedisCommands;
  close(): unknown;
}

const clients: Readonly<Record<string, () => Promise<Opened>>> = {
  ioredis: async () => {
    const client = new Redis({ sentinels: [{ host: '127.0.0.1', port: sentinel.port }], name: PRIMARY_NAME });
    client.on('error', () => undefined);
    return { commands: fromIoredis(client), close: () => client.disconnect() };
  },
  'node-redis': async () => {
    const sentinelRootNodes = [{ host: '127.0.0.1', port: sentinel.port }];
    const client = createSentinel({ name: PRIMARY_NAME, sentinelRootNodes });
    client.on('error', () => undefined);
    await client.connect();
    return { commands: fromNodeRedis(client), close: () => client.destroy() };
  },
};

describe.each(Object.entries(clients))('behind a Sentinel, through %s', (_name, open) => {
  it('a lock that was replicated outlives the primary, its waiter goes on, and tokens go on rising', async () => {
    const [one, two] = [await open(), await open()];
    const ours = createLocks(redisBackend(one.commands), { ttlMs: 60_000, callMs: 2_000 });
    const theirs = createLocks(redisBackend(two.commands), { ttlMs: 60_000, callMs: 2_000 });
    const lease: FencedLease = await ours.lock('x').acquire();
    const waiting = theirs.lock('x').acquire({ waitMs: 60_000 });
    await until('a waiter in line, on both servers', async () => {
      return (await replica.admin.zcard('holdfast.queue:{holdfast:x}')) === 1;
    });
    await primary.kill();
    await until(
      'an answer of the new primary',
      () =>
        lease.confirm().then(
          () => true,
          () => false,
        ),
      40_000,
    );
    await lease.release();
    const rival = await waiting;
    expect(rival.fencingToken).toBeGreaterThan(lease.fencingToken);
    expect(await replica.admin.exists('holdfast:x')).toBe(1);
    await rival.release();
    await ours.close();
    await theirs.close();
    one.close();
    two.close();
  }, 120_000);

  it('a lock and a counter that the failover has lost: the holder learns it, its rival gets a larger token, and listens anew', async () => {
    const [one, two] = [await open(), await open()];
    const ours = createLocks(redisBackend(one.commands), { ttlMs: 6_000, callMs: 1_000 });
    const theirs = createLocks(redisBackend(two.commands), { ttlMs: 30_000, callMs: 1_000 });
    await theirs.lock('warm').run(() => undefined);
    // What the primary has sent would lie in the socket of a replica that is only stopped.
    replica.pause();
    await primary.admin.call('CLIENT', 'KILL', 'TYPE', 'replica');
    const lease: FencedLease = await ours.lock('x').acquire();
    let rival: FencedLease | undefined;
    const waiting = theirs.lock('x').acquire({ waitMs: 60_000 });
    waiting.then(
      (granted) => {
        rival = granted;
      },
      () => undefined,
    );
    await until('a waiter in line', async () => (await primary.admin.zcard('holdfast.queue:{holdfast:x}')) === 1);
    await primary.kill();
    replica.resume();
    expect(await replica.admin.exists('holdfast:x', 'holdfast.token:{holdfast:x}')).toBe(0);
    await until('the rival with the lock', () => rival !== undefined, 40_000);
    expect((rival as unknown as FencedLease).fencingToken).toBeGreaterThan(lease.fencingToken);
    await until('the loss', () => lease.signal.aborted, 20_000);
    expect(lease.state).toBe('lost');
    // Somebody waits again, so that the second connection is needed: it is on the new primary, and wakes.
    const next = ours.lock('x').acquire({ waitMs: 60_000 });
    await until(
      'one more that listens on the new primary',
      async () => ((await replica.admin.pubsub('CHANNELS', 'holdfast.inbox:*')) as string[]).length >= 1,
      20_000,
    );
    await (await waiting).release();
    const last: FencedLease = await next;
    expect(last.fencingToken).toBeGreaterThan((rival as unknown as FencedLease).fencingToken);
    await last.release();
    await ours.close();
    await theirs.close();
    one.close();
    two.close();
  }, 120_000);

  it('a lock that its replica must acknowledge outlives the primary, and none is given while the replica is gone', async () => {
    const [one, two] = [await open(), await open()];
    const ours = createLocks(redisBackend(one.commands, { replicas: 1 }), { ttlMs: 60_000, callMs: 2_000 });
    const theirs = createLocks(redisBackend(two.commands), { ttlMs: 60_000, callMs: 2_000 });
    const lease: FencedLease = await ours.lock('x').acquire();
    await primary.kill();
    await until(
      'an answer of the new primary',
      () =>
        theirs
          .lock('y')
          .tryAcquire()
          .then(Boolean, () => false),
      40_000,
    );
    expect(await theirs.lock('x').tryAcquire()).toBe(null);
    // The new primary has no replica.
    let error: unknown;
    await until('a refusal for want of replicas', async () => {
      error = await ours
        .lock('z')
        .tryAcquire()
        .catch((reason: unknown) => reason);
      return error instanceof TooFewReplicasError;
    });
    expect(error).toMatchObject({ acknowledged: 0, replicas: 1 });
    expect(await replica.admin.exists('holdfast:z')).toBe(0);
    expect(lease.state).not.toBe('lost');
    await lease.release();
    expect(await replica.admin.exists('holdfast:x')).toBe(0);
    await ours.close();
    await theirs.close();
    one.close();
    two.close();
  }, 120_000);
});
