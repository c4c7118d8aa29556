import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fromIoredis, type RedisBackend, type RedisBackendOptions, redisBackend } from './index.ts';
import { Opened } from './test-support/opened.ts';
import { RedisServer } from './test-support/redis-server.ts';
import { codeOf, requestFor, sleep, until } from './test-support/requests.ts';

let server: RedisServer;
let opened: Opened;

beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.admin.flushall();
  opened = new Opened(server);
});
afterEach(() => opened.close());

describe('a user of Redis who lacks a permission', () => {
  const commands =
    'evalsha eval exists time set get hset hget hmget hexists hdel pexpire pttl type del zadd zrange zrem zpopmin publish'.split(
      ' ',
    );

  async function userWithout(rule: string): Promise<RedisBackend> {
    await server.admin.call('ACL', 'SETUSER', 'app', 'reset', 'on', '>secret', '~*', '&*', '+@all', ...rule.split(' '));
    return opened.backend({}, { username: 'app', password: 'secret' });
  }

  it.each(commands)('for %s is told so before the first lock, by name, and nothing is left', async (command) => {
    const backend = await userWithout(`-${command}`);
    const error = await backend.tryAcquire(requestFor('x')).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'ACCESS_DENIED' });
    if (!command.startsWith('eval')) expect((error as Error).message).toContain(command.toUpperCase());
    expect(String((error as Error).message)).not.toContain('secret');
    expect(await server.keys()).toEqual([]);
  });

  it.each([
    ['the keys beside a lock', 'resetkeys ~holdfast:*'],
    ['the channels', 'resetchannels'],
  ])('for %s is told so, too', async (_what, rule) => {
    const backend = await userWithout(rule);
    expect(await codeOf(backend.tryAcquire(requestFor('x')))).toBe('ACCESS_DENIED');
    expect(await server.keys()).toEqual([]);
  });

  it('for one command from now on leaves no key without an expiry, and no half of a lock', async () => {
    for (const command of ['pexpire', 'hset', 'set', 'publish', 'zadd', 'del']) {
      const backend = await userWithout('+@all');
      const holder = requestFor('x');
      await backend.tryAcquire(holder);
      await backend.queue('enter', requestFor('x'));
      await server.admin.call('ACL', 'SETUSER', 'app', `-${command}`);
      await codeOf(backend.release(holder));
      await codeOf(backend.tryAcquire(requestFor('y')));
      await codeOf(backend.queue('enter', requestFor('x')));
      for (const key of await server.admin.keys('*')) {
        expect([command, key, (await server.admin.pttl(key)) > 0]).toEqual([command, key, true]);
      }
      await server.admin.flushall();
    }
  });

  it('gets along with what the documentation lists', async () => {
    const rule =
      'reset on >secret ~holdfast:* ~holdfast.* &holdfast.inbox:* &redisson_lock__channel:* +eval +evalsha +exists +time ' +
      '+set +get +getrange +hset +hget +hmget +hgetall +hlen +hexists +hdel +pexpire +pttl +type +del +zadd +zrange +zrem +zpopmin ' +
      '+publish +subscribe +unsubscribe +info +scan +ping';
    const backend = await userWithout(rule);
    const [holder, waiter] = [requestFor('x'), requestFor('x')];
    await backend.tryAcquire(holder);
    backend.listen(waiter, () => undefined);
    await backend.queue('enter', waiter);
    expect((await backend.list()).map(({ name }) => name)).toEqual(['x']);
    expect((await backend.breakLock('x')).broken?.owner).toBe(holder.owner);
    expect((await backend.queue('stay', waiter)).outcome).toBe('granted');
    await until('the second connection', async () => {
      return ((await server.admin.pubsub('CHANNELS', 'holdfast.inbox:*')) as string[]).length === 1;
    });
    expect(await backend.release(waiter)).toBe('released');
  });

  it('gets the lock as soon as the permission is there', async () => {
    const backend = await userWithout('-hset');
    expect(await codeOf(backend.tryAcquire(requestFor('x')))).toBe('ACCESS_DENIED');
    await server.admin.call('ACL', 'SETUSER', 'app', '+hset');
    expect((await backend.tryAcquire(requestFor('x'))).outcome).toBe('granted');
  });

  it('with a wrong password is denied, and the password is not shown', async () => {
    await server.admin.call('ACL', 'SETUSER', 'app', 'reset', 'on', '>right', '~*', '&*', '+@all');
    for (const options of [{}, { maxRetriesPerRequest: 0 }, { protocol: 2 }]) {
      const backend = opened.backend({}, { username: 'app', password: 'wrong-secret', ...options });
      const error = await backend.tryAcquire(requestFor('x')).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'ACCESS_DENIED' });
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('wrong-secret');
    }
  });
});

describe('a server that does not write', () => {
  it('since its memory is full gives no lock, and takes renewals, releases and hand-overs', async () => {
    const backend = opened.backend();
    const [holder, waiter, late] = [requestFor('x'), requestFor('x'), requestFor('x')];
    await backend.tryAcquire(holder);
    await backend.queue('enter', waiter);
    await server.admin.config('SET', 'maxmemory', '1');
    try {
      expect(await codeOf(backend.tryAcquire(requestFor('y')))).toBe('UNAVAILABLE');
      expect(await codeOf(backend.queue('enter', requestFor('x')))).toBe('UNAVAILABLE');
      expect(await backend.renew([holder])).toEqual(['renewed']);
      expect((await backend.queue('stay', waiter)).outcome).toBe('waiting');
      expect(await backend.release(holder)).toBe('released');
      expect((await backend.queue('stay', waiter)).outcome).toBe('granted');
      await backend.withdraw(late, { mayArriveLate: true });
      expect((await backend.breakLock('x')).broken?.owner).toBe(waiter.owner);
    } finally {
      await server.admin.config('SET', 'maxmemory', '0');
    }
    expect(await server.keys()).toHaveLength(2); // the two owner ids that are refused
  });

  it('since it is a replica is UNAVAILABLE, never busy, and works again afterwards', async () => {
    const backend = opened.backend();
    const holder = requestFor('x');
    await backend.tryAcquire(holder);
    await server.admin.replicaof('127.0.0.1', '1');
    try {
      expect(await codeOf(backend.tryAcquire(requestFor('x')))).toBe('resolved'); // busy: that is read, not written
      expect(await codeOf(backend.tryAcquire(requestFor('y')))).toBe('UNAVAILABLE');
      expect(await codeOf(backend.queue('enter', requestFor('y')))).toBe('UNAVAILABLE');
      expect(await codeOf(backend.release(holder))).toBe('UNAVAILABLE');
      expect(await codeOf(backend.renew([holder]))).toBe('UNAVAILABLE');
    } finally {
      await server.admin.replicaof('NO', 'ONE');
    }
    expect(await backend.release(holder)).toBe('released');
  });

  it('since it has too few replicas is UNAVAILABLE, and nothing is left', async () => {
    const backend = opened.backend();
    await backend.tryAcquire(requestFor('warm'));
    await server.admin.flushall();
    await server.admin.config('SET', 'min-replicas-to-write', '1');
    try {
      expect(await codeOf(backend.tryAcquire(requestFor('x')))).toBe('UNAVAILABLE');
    } finally {
      await server.admin.config('SET', 'min-replicas-to-write', '0');
    }
    expect(await server.admin.dbsize()).toBe(0);
  });

  it('since somebody’s script runs for long is UNAVAILABLE', async () => {
    const backend = opened.backend();
    await backend.tryAcquire(requestFor('warm'));
    await server.admin.config('SET', 'busy-reply-threshold', '50');
    const spinning = opened
      .client()
      .eval('while true do end', 0)
      .catch(() => undefined);
    await sleep(150);
    expect(await codeOf(backend.tryAcquire(requestFor('x')))).toBe('UNAVAILABLE');
    expect(await codeOf(backend.renew([requestFor('x')]))).toBe('UNAVAILABLE');
    await opened.client({ enableReadyCheck: false }).call('SCRIPT', 'KILL');
    await spinning;
    await server.admin.config('SET', 'busy-reply-threshold', '5000');
    expect((await backend.tryAcquire(requestFor('x'))).outcome).toBe('granted');
  });
});

describe('a server that forgets', () => {
  it('its scripts before every single step is not noticed', async () => {
    const backend = opened.backend();
    const [holder, next, waiter] = [requestFor('x'), requestFor('x'), requestFor('x')];
    const steps: readonly (() => Promise<unknown>)[] = [
      () => backend.tryAcquire(holder),
      () => backend.renew([holder]),
      () => backend.transfer(holder, next),
      () => backend.queue('enter', waiter),
      () => backend.queue('stay', waiter),
      () => backend.inspect('x'),
      () => backend.breakLock('x'),
      () => backend.release(waiter),
      () => backend.withdraw(waiter, { mayArriveLate: false }),
    ];
    await backend.inspect('x');
    for (const step of steps) {
      await server.admin.script('FLUSH');
      await step();
    }
    expect(await server.calls('eval')).toBeGreaterThanOrEqual(steps.length);
    expect((await backend.inspect('x')).holder).toBeNull();
  });

  it('a lock that it has evicted: the holder loses it at its renewal, and does not make it anew', async () => {
    const locks = opened.locks({ ttlMs: 3_000 }, { eviction: 'allow' });
    const lease = await locks.lock('evicted').acquire();
    await server.admin.config('SET', 'maxmemory-policy', 'volatile-lru');
    await server.admin.config('SET', 'maxmemory', String(4 * 1024 * 1024));
    try {
      const value = 'x'.repeat(100_000);
      await until('the eviction of the lock', async () => {
        for (let i = 0; i < 60; i++) await server.admin.set(`filler:${Math.random()}`, value, 'EX', 600);
        return (await server.admin.exists('holdfast:evicted')) === 0;
      });
      await until('the loss', () => lease.signal.aborted);
      expect((lease.signal.reason as { reason: string }).reason).toBe('taken');
      expect(await server.admin.exists('holdfast:evicted')).toBe(0);
    } finally {
      await server.admin.config('SET', 'maxmemory', '0');
      await server.admin.config('SET', 'maxmemory-policy', 'noeviction');
    }
  });
});

describe('a server that may evict', () => {
  function backendWith(options: RedisBackendOptions): RedisBackend {
    return redisBackend(fromIoredis(opened.client()), options);
  }

  beforeEach(async () => {
    await server.admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await server.admin.config('SET', 'maxmemory', String(100 * 1024 * 1024));
  });
  afterEach(async () => {
    await server.admin.config('SET', 'maxmemory', '0');
    await server.admin.config('SET', 'maxmemory-policy', 'noeviction');
  });

  it('is warned of, once, with the name of the policy', async () => {
    const warnings: Error[] = [];
    const listener = (warning: Error): void => void warnings.push(warning);
    process.on('warning', listener);
    await backendWith({}).tryAcquire(requestFor('x'));
    await backendWith({}).tryAcquire(requestFor('y'));
    await sleep(10);
    process.off('warning', listener);
    expect(warnings.map((warning) => (warning as { code?: string }).code)).toEqual(['HOLDFAST_REDIS_EVICTION']);
    expect(warnings[0]?.message).toMatch(/allkeys-lru/);
  });

  it('is refused on request', async () => {
    const error = await backendWith({ eviction: 'refuse' })
      .tryAcquire(requestFor('x'))
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'CONFIG' });
    expect((error as Error).message).toMatch(/allkeys-lru.*noeviction/);
    expect(await server.admin.dbsize()).toBe(0);
  });
});
