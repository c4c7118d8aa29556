import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Relay } from '../../contract/relay.ts';
import { createLocks } from '../../index.ts';
import {
  fromIoredis,
  fromNodeRedis,
  type RedisBackendOptions,
  type RedisCommands,
  type RedisWriter,
  redisBackend,
  TooFewReplicasError,
} from './index.ts';
import { Opened } from './test-support/opened.ts';
import type { RedisServer } from './test-support/redis-server.ts';
import { Replication } from './test-support/replication.ts';
import { codeOf, requestFor, sleep, until } from './test-support/requests.ts';

let servers: Replication;
let primary: RedisServer;
let one: RedisServer;
let two: RedisServer;
let opened: Opened;

beforeAll(async () => {
  servers = await Replication.start(2);
  primary = servers.primary;
  [one, two] = servers.replicas as [RedisServer, RedisServer];
});
afterAll(() => servers.stop());
beforeEach(async () => {
  await primary.admin.flushall();
  await servers.inStep();
  opened = new Opened(primary);
});
afterEach(async () => {
  for (const replica of servers.replicas) replica.resume();
  await opened.close();
});

const errorOf = (promise: Promise<unknown>): Promise<unknown> => promise.then(String, (error: unknown) => error);

/** How many of this command wait on the server now. */
async function blocked(): Promise<number> {
  return Number(/^blocked_clients:(\d+)/m.exec(await primary.admin.info('clients'))?.[1]);
}

describe('the options', () => {
  it.each([
    [{ replicas: -1 }, RangeError],
    [{ replicas: 1.5 }, RangeError],
    [{ replicas: 101 }, RangeError],
    [{ replicas: '1' }, TypeError],
    [{ replicas: 1, acknowledgeMs: 0 }, RangeError],
    [{ replicas: 1, acknowledgeMs: Number.NaN }, RangeError],
    [{ acknowledgeMs: 100 }, RangeError],
    [{ fsync: 'yes' }, TypeError],
  ])('%o are refused', (options, error) => {
    expect(() => opened.backend(options as RedisBackendOptions)).toThrow(error);
  });

  it('need a client that can open a connection of our own', () => {
    expect(() => redisBackend({ send: async () => null }, { replicas: 1 })).toThrow(TypeError);
  });
});

const kinds = {
  ioredis: async (options: RedisBackendOptions) => opened.backend(options),
  'node-redis': async (options: RedisBackendOptions) => {
    const client = createClient({ socket: { host: '127.0.0.1', port: primary.port } });
    client.on('error', () => undefined);
    await client.connect();
    const backend = redisBackend(fromNodeRedis(client), options);
    opened.onClose(() => client.destroy());
    opened.onClose(() => backend.close());
    return backend;
  },
};

describe.each(Object.entries(kinds))('a lock that replicas must acknowledge, through %s,', (_name, open) => {
  it('is on all of them when it is given, by a try, from the line, by a transfer and by a hand-over', async () => {
    const backend = await open({ replicas: 2, acknowledgeMs: 1_000 });
    const onAll = async (owner: string): Promise<number> => {
      const found = await Promise.all([one, two].map(({ admin }) => admin.hexists('holdfast:x', owner)));
      return found.reduce((sum, each) => sum + each);
    };
    const [first, second, third] = [requestFor('x'), requestFor('x'), requestFor('x')];
    expect((await backend.tryAcquire(first)).outcome).toBe('granted');
    expect(await onAll(first.owner)).toBe(2);
    expect((await backend.transfer(first, second)).outcome).toBe('granted');
    expect(await onAll(second.owner)).toBe(2);
    expect((await backend.queue('enter', third)).outcome).toBe('waiting');
    await backend.release(second);
    expect((await backend.queue('stay', third)).outcome).toBe('granted');
    expect(await onAll(third.owner)).toBe(2);
    expect(await backend.renew([third])).toEqual(['renewed']);
    expect(await backend.release(third)).toBe('released');
    const alone = requestFor('x');
    expect((await backend.queue('enter', alone)).outcome).toBe('granted');
    expect(await onAll(alone.owner)).toBe(2);
  });

  it('is not given where one of two is silent: undone on the primary, with the number that did', async () => {
    const backend = await open({ replicas: 2, acknowledgeMs: 100 });
    two.pause();
    const error = await errorOf(backend.tryAcquire(requestFor('x')));
    expect(error).toBeInstanceOf(TooFewReplicasError);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', acknowledged: 1, replicas: 2, lockName: 'x' });
    expect(await primary.admin.exists('holdfast:x')).toBe(0);
    one.pause();
    expect(await errorOf(backend.queue('enter', requestFor('x')))).toMatchObject({ acknowledged: 0 });
    expect(await primary.admin.exists('holdfast:x')).toBe(0);
  });

  it('is given back if its connection is lost while it waits for them', async () => {
    const backend = await open({ replicas: 1, acknowledgeMs: 3_000 });
    one.pause();
    two.pause();
    const error = errorOf(backend.tryAcquire(requestFor('x')));
    await until('a connection that waits', async () => (await blocked()) === 1);
    const clients = ((await primary.admin.call('CLIENT', 'LIST')) as string).split('\n');
    const waiting = clients.find((line) => /\bflags=b/.test(line));
    await primary.admin.call('CLIENT', 'KILL', 'ID', /^id=(\d+)/.exec(waiting ?? '')?.[1] ?? '');
    // A new connection has written nothing: whatever WAIT says there is not about this lock.
    expect(await error).toMatchObject({ code: 'UNAVAILABLE' });
    expect(await primary.admin.exists('holdfast:x')).toBe(0);
    one.resume();
    two.resume();
    expect((await backend.tryAcquire(requestFor('x'))).outcome).toBe('granted');
  });
});

describe('while replicas are silent', () => {
  it('a waiter waits for them, and is told of them if its time is over', async () => {
    const locks = opened.locks({}, { replicas: 2 });
    two.pause();
    const error = await errorOf(locks.lock('x').acquire({ waitMs: 1_000 }));
    expect(error).toMatchObject({ code: 'UNAVAILABLE', cause: { acknowledged: 1, replicas: 2 } });
    const waiting = locks.lock('x').acquire({ waitMs: 20_000 });
    await sleep(300);
    two.resume();
    const lease = await waiting;
    expect(await two.admin.exists('holdfast:x')).toBe(1);
    await lease.release();
  });

  it('the connection of the program is not held up, and many locks cost no more than two waits', async () => {
    const client = opened.client();
    const backend = redisBackend(fromIoredis(client), { replicas: 2, acknowledgeMs: 1_000 });
    opened.onClose(() => backend.close());
    const first = requestFor('warm');
    await backend.tryAcquire(first);
    two.pause();
    await primary.admin.config('RESETSTAT');
    const since = performance.now();
    const errors = Array.from({ length: 100 }, (_, index) => errorOf(backend.tryAcquire(requestFor(`many:${index}`))));
    await until('a connection that waits', async () => (await blocked()) === 1);
    const askedAt = performance.now();
    await client.ping();
    expect(performance.now() - askedAt).toBeLessThan(500); // it would be 1,000
    for (const error of await Promise.all(errors)) expect(error).toMatchObject({ acknowledged: 1 });
    expect(performance.now() - since).toBeLessThan(10_000); // one after the other they would take 100 s
    expect(await primary.calls('wait')).toBeLessThanOrEqual(2);
    expect((await primary.keys()).filter((key) => key.startsWith('holdfast:many'))).toEqual([]);
  });

  it('a renewal counts for nothing: the lease ends by its own clock, and says why', async () => {
    const locks = opened.locks({ ttlMs: 1_500 }, { replicas: 1 });
    const lease = await locks.lock('x').acquire();
    one.pause();
    two.pause();
    const error = await errorOf(lease.confirm());
    expect(error).toMatchObject({ name: 'TooFewReplicasError', acknowledged: 0 });
    await until('the loss', () => lease.signal.aborted);
    expect(lease.signal.reason).toMatchObject({ reason: 'expired' });
    expect((lease.signal.reason as Error).message).toContain('0 of the 1 replicas');
  });

  it('a lock whose undoing is refused is unknown, and is given back in the background', async () => {
    // The primary takes a write only while it has heard of a replica in the last second.
    await primary.admin.config('SET', 'min-replicas-max-lag', '1');
    await primary.admin.config('SET', 'min-replicas-to-write', '2');
    try {
      const backend = opened.backend({ replicas: 2, acknowledgeMs: 3_500 });
      const request = requestFor('x', { ttlMs: 60_000 });
      await until('two replicas that were heard of', async () => {
        return (await primary.admin.info('replication')).includes('min_slaves_good_slaves:2');
      });
      two.pause();
      expect(await codeOf(backend.tryAcquire(request))).toBe('OUTCOME_UNKNOWN');
      expect(await primary.admin.exists('holdfast:x')).toBe(1);
      // As the core does it until it is answered.
      expect(await codeOf(backend.withdraw(request, { mayArriveLate: true }))).toBe('UNAVAILABLE');
      two.resume();
      await until('two replicas again', async () => {
        return (await codeOf(backend.withdraw(request, { mayArriveLate: true }))) === 'resolved';
      });
      expect(await primary.admin.exists('holdfast:x')).toBe(0);
      expect(await backend.queue('enter', request)).toEqual({ outcome: 'gone' }); // this owner id is used up
    } finally {
      await primary.admin.config('SET', 'min-replicas-to-write', '0');
    }
  });
});

it('a connection that falls silent is given up, so that what comes later does not wait behind it', async () => {
  const relay = await Relay.start(primary.port);
  opened.onClose(() => relay.close());
  const client = opened.client();
  // The connection for acknowledgements alone goes through the relay.
  const through = fromIoredis(opened.client({ port: relay.port }));
  const backend = redisBackend({ ...plain(fromIoredis(client)), openWriter: () => writerOf(through) }, { replicas: 2 });
  opened.onClose(() => backend.close());
  const request = requestFor('x');
  await backend.tryAcquire(request);
  relay.blackHole();
  expect(await codeOf(backend.renew([request]))).toBe('OUTCOME_UNKNOWN');
  relay.heal();
  expect(await backend.renew([request])).toEqual(['renewed']);
});

function plain(commands: RedisCommands): RedisCommands {
  return { send: (args, key) => commands.send(args, key) };
}

function writerOf(commands: RedisCommands): RedisWriter {
  const writer = commands.openWriter?.();
  if (writer === undefined) throw new Error('This client opens no connection for writes.');
  return writer;
}

it('validity counts from before the request, however long replicas take', async () => {
  const locks = opened.locks({ ttlMs: 10_000, callMs: 5_000 }, { replicas: 2, acknowledgeMs: 2_000 });
  two.pause();
  const askedAt = performance.now();
  const trying = locks.lock('x').tryAcquire();
  await until('a connection that waits', async () => (await blocked()) === 1);
  await sleep(500);
  two.resume();
  const lease = await trying;
  const tookMs = performance.now() - askedAt;
  expect(tookMs).toBeGreaterThan(500);
  expect(lease?.remainingMs).toBeLessThan(10_000 - tookMs);
  await lease?.release();
});

it('a primary with too few replicas for its own rule says so, to the waiter and in the loss of the lease', async () => {
  const locks = opened.locks({ ttlMs: 1_500 });
  const lease = await locks.lock('x').acquire();
  await primary.admin.config('SET', 'min-replicas-to-write', '3');
  try {
    const error = await errorOf(locks.lock('y').tryAcquire());
    expect(error).toMatchObject({ code: 'UNAVAILABLE' });
    expect(String(error)).toMatch(/fewer replicas than min-replicas-to-write.*NOREPLICAS/);
    await until('the loss', () => lease.signal.aborted);
    expect(lease.signal.reason).toMatchObject({ reason: 'expired' });
    expect((lease.signal.reason as Error).message).toMatch(/min-replicas-to-write.*NOREPLICAS/);
  } finally {
    await primary.admin.config('SET', 'min-replicas-to-write', '0');
  }
});

it('a server without WAITAOF is told so before the first lock, and nothing is left', async () => {
  const backend = opened.backend({ replicas: 1, fsync: true });
  const version = /redis_version:(\d+)\.(\d+)/.exec(await primary.admin.info('server'));
  const isOld = Number(version?.[1]) < 7 || (Number(version?.[1]) === 7 && Number(version?.[2]) < 2);
  const error = await errorOf(backend.tryAcquire(requestFor('x')));
  expect(error).toMatchObject({ code: 'CONFIG' });
  // A newer one lacks the file, since these servers keep nothing on disk.
  expect(String(error)).toMatch(isOld ? /WAITAOF, which Redis 7\.2/ : /nothing on disk/);
  expect(await primary.keys()).toEqual([]);
});

it('a user who may not WAIT is told so before the first lock, and nothing is left', async () => {
  await primary.admin.call('ACL', 'SETUSER', 'app', 'reset', 'on', '>secret', '~*', '&*', '+@all', '-wait');
  const backend = opened.backend({ replicas: 1 }, { username: 'app', password: 'secret' });
  expect(await codeOf(backend.tryAcquire(requestFor('x')))).toBe('ACCESS_DENIED');
  expect(await primary.keys()).toEqual([]);
});

it('nothing keeps a process, or a connection, when the locks are closed', async () => {
  const before = ((await primary.admin.call('CLIENT', 'LIST')) as string).split('\n').length;
  const client = opened.client();
  const locks = createLocks(redisBackend(fromIoredis(client), { replicas: 1 }));
  await locks.lock('x').run(() => undefined);
  await locks.close();
  client.disconnect();
  await until('no connection', async () => {
    return ((await primary.admin.call('CLIENT', 'LIST')) as string).split('\n').length <= before;
  });
});
