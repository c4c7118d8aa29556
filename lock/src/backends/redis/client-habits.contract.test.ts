import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Relay } from '../../contract/relay.ts';
import type { RedisBackend } from './index.ts';
import { Opened } from './test-support/opened.ts';
import { RedisServer } from './test-support/redis-server.ts';
import { codeOf, requestFor, sleep, until } from './test-support/requests.ts';

let server: RedisServer;
let relay: Relay;
let opened: Opened;

beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.admin.flushall();
  relay = await Relay.start(server.port);
  opened = new Opened(server);
  opened.onClose(() => relay.close());
});
afterEach(() => opened.close());

/** A backend through the relay that has been used once, so that its connection stands and its scripts are loaded. */
async function warmBackend(client: object = {}): Promise<RedisBackend> {
  const backend = opened.backend({}, { port: relay.port, ...client });
  const request = requestFor('warm');
  await until('a connection', async () => (await codeOf(backend.tryAcquire(request))) === 'resolved');
  await backend.release(request);
  return backend;
}

async function callsSince(reset: () => Promise<unknown>): Promise<number> {
  await reset();
  return server.calls('evalsha');
}

describe('an ioredis client as it is by default, which sends again what had no reply', () => {
  it('makes the server do an acquire twice, and gets one grant', async () => {
    const backend = await warmBackend();
    await server.admin.config('RESETSTAT');
    const request = requestFor('x');
    const dropped = relay.dropNextReply();
    const answer = backend.tryAcquire(request);
    await dropped;
    expect((await answer).outcome).toBe('granted');
    expect(await server.calls('evalsha')).toBe(2);
    expect(await backend.release(request)).toBe('released');
  });

  it('makes it do a release twice, which is then unknown, and never another owner’s', async () => {
    const backend = await warmBackend();
    const request = requestFor('x');
    await backend.tryAcquire(request);
    const dropped = relay.dropNextReply();
    const released = codeOf(backend.release(request));
    await dropped;
    const rival = requestFor('x');
    expect((await opened.backend().tryAcquire(rival)).outcome).toBe('granted');
    // The second time it answers "not held", which says nothing: the core asks again, and then knows.
    expect(await released).toBe('OUTCOME_UNKNOWN');
    expect(await backend.release(request)).toBe('not-held');
    expect(await opened.backend().renew([rival])).toEqual(['renewed']);
  });

  it('makes it do a transfer twice, and the next owner has the lock once', async () => {
    const backend = await warmBackend();
    const [one, two] = [requestFor('x'), requestFor('x')];
    await backend.tryAcquire(one);
    const dropped = relay.dropNextReply();
    const answer = backend.transfer(one, two);
    await dropped;
    expect((await answer).outcome).toBe('granted');
    expect((await backend.inspect('x')).holder?.owner).toBe(two.owner);
  });

  it('makes it do a break twice, which does not break the lock of the next', async () => {
    const operator = await warmBackend();
    const backend = opened.backend();
    const [holder, next] = [requestFor('x'), requestFor('x')];
    await backend.tryAcquire(holder);
    await backend.queue('enter', next);
    const inspect = operator.inspect.bind(operator);
    let looks = 0;
    operator.inspect = async (name) => {
      const report = await inspect(name);
      if (++looks === 1) void relay.dropNextReply(); // that of the break, which comes next
      return report;
    };
    const { broken, raiseTo } = await operator.breakLock('x');
    expect(looks).toBe(1);
    expect(broken?.owner).toBe(holder.owner);
    const nextHolder = (await backend.inspect('x')).holder;
    expect(nextHolder?.owner).toBe(next.owner);
    expect(nextHolder?.fencingToken).toBeGreaterThan(raiseTo);
    expect((await backend.queue('stay', next)).outcome).toBe('granted');
    expect((await backend.inspect('x')).holder?.owner).toBe(next.owner);
  });

  it('keeps a request while the server is away, and does it then: taken back before, it gets nothing', async () => {
    const backend = await warmBackend();
    relay.cut();
    const request = requestFor('x');
    const late = codeOf(backend.tryAcquire(request));
    await opened.backend().withdraw(request, { mayArriveLate: true });
    relay.heal();
    expect(await late).toBe('resolved');
    expect(await server.admin.exists('holdfast:x')).toBe(0);
    expect(await server.keys()).toEqual([`holdfast.withdrawn:{holdfast:x}:${request.owner}`]);
    const ttlMs = await server.admin.pttl(`holdfast.withdrawn:{holdfast:x}:${request.owner}`);
    expect(ttlMs).toBeGreaterThan(1_100_000);
    expect(ttlMs).toBeLessThanOrEqual(1_200_000);
  });
});

describe('an ioredis client with commandTimeout, which rejects and sends later all the same', () => {
  it('leaves no orphan: the lock is free long before its TTL', async () => {
    const locks = opened.locks({ ttlMs: 60_000, callMs: 400 }, {}, { port: relay.port, commandTimeout: 200 });
    await locks.lock('warm').run(() => undefined);
    relay.cut();
    expect(await codeOf(locks.lock('x').tryAcquire())).toBe('OUTCOME_UNKNOWN');
    relay.heal();
    const rivals = opened.locks({ ttlMs: 60_000 });
    await until('the late request and its withdrawal', async () => {
      return (await server.keys()).some((key) => key.startsWith('holdfast.withdrawn:{holdfast:x}'));
    });
    const lease = await rivals.lock('x').acquire({ waitMs: 2_000 });
    await sleep(500);
    expect(lease.state).toBe('held');
    await lease.release();
    expect((await rivals.lock('x').tryAcquire())?.state).toBe('held');
  });
});

describe('an ioredis client that fails at once', () => {
  it('is UNAVAILABLE where nothing was sent, and OUTCOME_UNKNOWN where something was', async () => {
    const backend = await warmBackend({ maxRetriesPerRequest: 0 });
    const request = requestFor('x');
    const dropped = relay.dropNextReply();
    const unknown = codeOf(backend.tryAcquire(request));
    await dropped;
    expect(await unknown).toBe('OUTCOME_UNKNOWN');
    relay.cut();
    await until(
      'a client that knows',
      async () => (await codeOf(backend.tryAcquire(requestFor('x')))) === 'UNAVAILABLE',
    );
    relay.heal();
    await until('an answer', async () => (await codeOf(backend.tryAcquire(request))) === 'resolved');
    expect((await backend.inspect('x')).holder?.owner).toBe(request.owner);
  });

  it('is UNAVAILABLE without an offline queue, too', async () => {
    const backend = await warmBackend({ enableOfflineQueue: false, maxRetriesPerRequest: 0 });
    relay.cut();
    await until('a client that knows', async () => (await codeOf(backend.release(requestFor('x')))) === 'UNAVAILABLE');
  });
});

describe('a client whose every answer takes longer than a call may', () => {
  it('has its lock all the same, for what is left of its time', async () => {
    const locks = opened.locks({ ttlMs: 4_000, callMs: 200 }, {}, { port: relay.port });
    await locks.lock('warm').run(() => undefined);
    relay.slow(150);
    const lease = await locks.lock('far').acquire({ waitMs: 4_000 });
    expect(lease.state).toBe('held');
    expect(await opened.locks().lock('far').tryAcquire()).toBeNull();
    relay.heal();
    await lease.release();
    expect(await opened.locks().lock('far').tryAcquire()).not.toBeNull();
  });
});

describe('a client whose server was made a replica without losing its connections', () => {
  it('connects anew, and finds the new primary within 2 s of its coming', async () => {
    const primary = await RedisServer.start();
    try {
      const locks = opened.locks({ ttlMs: 3_000 }, {}, { port: relay.port });
      await locks.lock('x').run(() => undefined);
      await server.admin.replicaof('127.0.0.1', String(primary.port));
      expect(await codeOf(locks.lock('x').tryAcquire())).toBe('UNAVAILABLE');
      await sleep(1_500);
      relay.switchTo(primary.port);
      const movedAt = performance.now();
      const lease = await locks.lock('x').acquire({ waitMs: 10_000 });
      expect(performance.now() - movedAt).toBeLessThan(9_000); // on an idle machine within 2 s
      expect(await primary.admin.exists('holdfast:x')).toBe(1);
      await lease.release();
    } finally {
      await server.admin.replicaof('NO', 'ONE');
      await primary.stop();
    }
  });
});

describe('the client that is handed in', () => {
  it('stays open and usable, and nothing is left on it', async () => {
    const client = opened.client();
    await client.ping();
    const before = ['close', 'ready', 'message', 'error'].map((event) => client.listenerCount(event));
    const { fromIoredis, redisBackend } = await import('./index.ts');
    const backend = redisBackend(fromIoredis(client));
    const [holder, waiter] = [requestFor('x'), requestFor('x')];
    await backend.tryAcquire(holder);
    backend.listen(waiter, () => undefined);
    await backend.queue('enter', waiter);
    await client.set('own', '1');
    await backend.close();
    await backend.close();
    expect(await client.get('own')).toBe('1');
    expect(['close', 'ready', 'message', 'error'].map((event) => client.listenerCount(event))).toEqual(before);
  });

  it('has no more listeners with a dozen backends than with one', async () => {
    const client = opened.client();
    const { fromIoredis, redisBackend } = await import('./index.ts');
    const counts = (): number[] => ['close', 'ready'].map((event) => client.listenerCount(event));
    const before = counts();
    const backends = Array.from({ length: 12 }, () => redisBackend(fromIoredis(client)));
    expect(counts()).toEqual(before.map((count) => count + 1));
    await Promise.all(backends.map((backend) => backend.close()));
    expect(counts()).toEqual(before);
  });

  it('must not be subscribed, where that takes its commands away', async () => {
    const client = opened.client({ protocol: 2 });
    await client.subscribe('news');
    const { fromIoredis, redisBackend } = await import('./index.ts');
    const backend = redisBackend(fromIoredis(client));
    expect(await codeOf(backend.tryAcquire(requestFor('x')))).toBe('CONFIG');
  });

  it('sends what is asked for in one turn in few calls, and every task gets its own answer', async () => {
    const backend = opened.backend();
    await backend.tryAcquire(requestFor('warm'));
    const calls = await callsSince(() => server.admin.config('RESETSTAT'));
    expect(calls).toBe(0);
    await server.admin.set('holdfast:name:7', 'data');
    const requests = Array.from({ length: 1_000 }, (_, index) => requestFor(`name:${index}`));
    const answers = await Promise.all(requests.map((request) => codeOf(backend.tryAcquire(request))));
    expect(answers.filter((answer) => answer === 'resolved')).toHaveLength(999);
    expect(answers[7]).toBe('CONFIG');
    expect(await server.calls('evalsha')).toBeLessThanOrEqual(1_000 / 50);
    const renewed = await backend.renew(requests);
    expect(renewed.filter((answer) => answer === 'renewed')).toHaveLength(999);
    expect(renewed[7]).toBe('lost');
  });
});
