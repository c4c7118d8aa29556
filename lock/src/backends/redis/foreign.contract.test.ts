import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RedisBackend } from './index.ts';
import { lockKeyOfQueue } from './layout.ts';
import { Opened } from './test-support/opened.ts';
import { RedisServer } from './test-support/redis-server.ts';
import { codeOf, requestFor } from './test-support/requests.ts';

let server: RedisServer;
let opened: Opened;
/** Uses the name as the key, to share locks with clients of other layouts. */
let raw: RedisBackend;

beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.admin.flushall();
  opened = new Opened(server);
  raw = opened.backend({ keyPrefix: '' });
});
afterEach(() => opened.close());

describe('a client that uses SET NX PX', () => {
  it('is kept out by our lock', async () => {
    await raw.tryAcquire(requestFor('shared'));
    expect(await server.admin.set('shared', 'me', 'PX', 1_000, 'NX')).toBeNull();
  });

  it('keeps us out for as long as its TTL says, and its key is not touched', async () => {
    await server.admin.set('shared', 'me', 'PX', 60_000, 'NX');
    const answer = await raw.tryAcquire(requestFor('shared'));
    expect(answer.outcome).toBe('busy');
    expect((answer as { retryInMs: number }).retryInMs).toBeGreaterThan(30_000);
    const request = requestFor('shared');
    expect(await raw.release(request)).toBe('not-held');
    expect(await raw.renew([request])).toEqual(['lost']);
    expect(await raw.transfer(request, requestFor('shared'))).toEqual({ outcome: 'not-held' });
    await raw.withdraw(request, { mayArriveLate: false });
    expect(await server.admin.get('shared')).toBe('me');
  });

  it('is asked after every 100 to 200 ms, since its release is told to nobody', async () => {
    await server.admin.set('shared', 'me', 'PX', 60_000, 'NX');
    const locks = opened.locks({}, { keyPrefix: '' });
    const startedAt = performance.now();
    const waiting = locks.lock('shared').acquire();
    await server.admin.del('shared');
    await waiting;
    expect(performance.now() - startedAt).toBeLessThan(4_000); // a heartbeat would take 5 s
  });
});

describe('a hash in the layout of Redisson', () => {
  it('keeps us out', async () => {
    await server.admin.hset('shared', '0a1b:77', '1');
    await server.admin.pexpire('shared', 60_000);
    expect((await raw.tryAcquire(requestFor('shared'))).outcome).toBe('busy');
    expect(await raw.release(requestFor('shared'))).toBe('not-held');
    expect(await server.admin.hgetall('shared')).toEqual({ '0a1b:77': '1' });
  });

  it('is what our own lock looks like: one counted field for the owner, and a TTL', async () => {
    const request = requestFor('shared');
    await raw.tryAcquire(request);
    expect(await server.admin.hget('shared', request.owner)).toBe('1');
    expect(await server.admin.pttl('shared')).toBeGreaterThan(1_000);
  });
});

describe('data of the application', () => {
  const data: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['a string without an expiry', () => server.admin.set('order:1', '{}')],
    ['a hash without an expiry', () => server.admin.hset('order:1', 'f', '1')],
    ['a list', () => server.admin.rpush('order:1', 'x')],
    ['a set with an expiry', () => server.admin.pipeline().sadd('order:1', 'x').pexpire('order:1', 60_000).exec()],
    ['a stream', () => server.admin.xadd('order:1', '*', 'a', 'b')],
  ];

  it.each(data)('%s at the key is an error at once, and is left as it is', async (_what, write) => {
    await write();
    const before = await server.admin.dumpBuffer('order:1');
    const request = requestFor('order:1');
    expect(await codeOf(raw.tryAcquire(request))).toBe('CONFIG');
    expect(await codeOf(raw.queue('enter', request))).toBe('CONFIG');
    expect(await raw.release(request)).toBe('not-held');
    expect(await raw.renew([request])).toEqual(['lost']);
    await raw.withdraw(request, { mayArriveLate: false });
    expect(await codeOf(opened.locks({}, { keyPrefix: '' }).lock('order:1').acquire())).toBe('CONFIG');
    expect(await server.admin.dumpBuffer('order:1')).toEqual(before);
    expect(await server.keys()).toEqual(['order:1']);
  });

  it('never meets a lock of the same name, by default', async () => {
    await server.admin.set('order:1', '{}');
    await server.admin.hset('cart:1', 'f', '1');
    const before = [await server.admin.dumpBuffer('order:1'), await server.admin.dumpBuffer('cart:1')];
    const locks = opened.locks();
    for (const name of ['order:1', 'cart:1']) {
      const lease = await locks.lock(name).acquire();
      await lease.confirm();
      await lease.release();
    }
    expect([await server.admin.dumpBuffer('order:1'), await server.admin.dumpBuffer('cart:1')]).toEqual(before);
  });

  it('at one of the keys beside a lock is an error, and is left as it is', async () => {
    await server.admin.rpush('holdfast.token:{holdfast:x}', 'list');
    await server.admin.set('holdfast.token:{holdfast:y}', 'not a number');
    await server.admin.set('holdfast.queue:{holdfast:z}', 'string');
    const backend = opened.backend();
    for (const name of ['x', 'y', 'z']) expect(await codeOf(backend.tryAcquire(requestFor(name)))).toBe('CONFIG');
    expect(await server.admin.lrange('holdfast.token:{holdfast:x}', 0, -1)).toEqual(['list']);
    expect(await server.admin.get('holdfast.token:{holdfast:y}')).toBe('not a number');
    expect(await server.admin.get('holdfast.queue:{holdfast:z}')).toBe('string');
    expect(await server.admin.exists('holdfast:x', 'holdfast:y', 'holdfast:z')).toBe(0);
  });
});

describe('names', () => {
  const names = [
    'x',
    '{x}',
    '{{x}',
    'x{',
    'x}',
    '{}',
    '{x}y',
    '{x}z',
    '.x',
    ':{x}',
    'a b',
    'line\nbreak',
    '🔒',
    '*',
    '%s',
  ];

  it('that look alike never share a key, however the lock is used', async () => {
    const keysOf = new Map<string, string[]>();
    for (const name of names) {
      await server.admin.flushall();
      const [holder, waiter, late] = [requestFor(name), requestFor(name), requestFor(name)];
      await raw.tryAcquire(holder);
      await raw.queue('enter', waiter);
      await raw.withdraw(late, { mayArriveLate: true });
      const keys = await server.admin.keys('*');
      expect(keys).toHaveLength(5);
      expect(keys).toContain(name);
      expect(keys.map(lockKeyOfQueue)).toContain(name);
      for (const key of keys.filter((each) => each !== name)) expect(key.startsWith('holdfast.')).toBe(true);
      keysOf.set(
        name,
        keys.map((key) => key.replace(late.owner, '<owner>')),
      );
    }
    const all = [...keysOf.values()].flat();
    expect(new Set(all).size).toBe(all.length);
  });

  it('that would be one of our own keys are refused', async () => {
    await raw.tryAcquire(requestFor('x'));
    for (const key of await server.admin.keys('holdfast.*')) {
      expect(await codeOf(raw.tryAcquire(requestFor(key)))).toBe('CONFIG');
      expect((await opened.backend().tryAcquire(requestFor(key))).outcome).toBe('granted');
    }
  });

  it('are all found again by list', async () => {
    const backend = opened.backend({ keyPrefix: 'app[1]*:' });
    for (const name of names) await backend.tryAcquire(requestFor(name));
    await opened.backend({ keyPrefix: 'app1:' }).tryAcquire(requestFor('of another prefix'));
    expect((await backend.list()).map(({ name }) => name)).toEqual([...names].sort());
  });
});
