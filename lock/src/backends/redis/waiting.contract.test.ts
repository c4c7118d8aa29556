import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Relay } from '../../contract/relay.ts';
import type { Granted } from '../../core/backend.ts';
import { Opened } from './test-support/opened.ts';
import { RedisServer } from './test-support/redis-server.ts';
import { requestFor, sleep, until } from './test-support/requests.ts';

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

/** How many clients listen for messages now. */
async function listeners(): Promise<number> {
  return ((await server.admin.call('CLIENT', 'LIST', 'TYPE', 'pubsub')) as string).split('\n').filter(Boolean).length;
}

describe('a hand-over', () => {
  it('takes the releaser one call and the receiver none, however many wait', async () => {
    const holder = opened.backend();
    for (const waiters of [1, 2, 10, 50]) {
      const name = `calls:${waiters}`;
      const requests = Array.from({ length: waiters }, () => requestFor(name));
      const granted: string[] = [];
      const current = requestFor(name);
      await holder.tryAcquire(current);
      const backend = opened.backend();
      for (const request of requests) {
        backend.listen(request, (grant) => grant !== undefined && granted.push(request.owner));
        await backend.queue('enter', request);
      }
      await until('the second connection', async () => {
        const channels = (await server.admin.pubsub('CHANNELS', 'holdfast.inbox:*')) as string[];
        return channels.length > 0;
      });
      await sleep(20);
      await server.admin.config('RESETSTAT');
      await holder.release(current);
      await until('the hand-over', () => granted.length === 1);
      expect(granted).toEqual([requests[0]?.owner]);
      expect(await server.calls('evalsha')).toBe(1);
      expect(await server.calls('publish')).toBe(1);
      await backend.close();
    }
  });

  it('is good for two heartbeats, until the receiver has renewed', async () => {
    const [one, two] = [opened.backend(), opened.backend()];
    const [holder, waiter] = [requestFor('claim'), requestFor('claim', { heartbeatMs: 2_000 })];
    const granted: Granted[] = [];
    two.listen(waiter, (grant) => grant !== undefined && granted.push(grant));
    await one.tryAcquire(holder);
    await two.queue('enter', waiter);
    await until('the second connection', async () => (await listeners()) > 0);
    await sleep(20);
    await one.release(holder);
    await until('the hand-over', () => granted.length === 1);
    expect(granted[0]?.ttlMs).toBe(4_000);
    expect(await server.admin.pttl('holdfast:claim')).toBeLessThanOrEqual(4_000);
    expect(await two.renew([waiter])).toEqual(['renewed']);
    expect(await server.admin.pttl('holdfast:claim')).toBeGreaterThan(4_000);
  });

  it('passes over a waiter that has been silent for three heartbeats, and refuses its heartbeat then', async () => {
    const backend = opened.backend();
    const holder = requestFor('silent');
    const [dead, alive] = [requestFor('silent', { heartbeatMs: 30 }), requestFor('silent')];
    await backend.tryAcquire(holder);
    await backend.queue('enter', dead);
    await backend.queue('enter', alive);
    await sleep(100);
    await backend.release(holder);
    expect((await backend.queue('stay', alive)).outcome).toBe('granted');
    expect((await backend.queue('stay', dead)).outcome).toBe('gone');
  });

  it('leaves the key free once after 32 in a row, transfers included', async () => {
    const backend = opened.backend();
    let holder = requestFor('turns');
    await backend.tryAcquire(holder);
    let handOvers = 0;
    for (; handOvers < 40; handOvers++) {
      const next = requestFor('turns');
      if (handOvers % 2 === 0) {
        if ((await backend.transfer(holder, next)).outcome !== 'granted') break;
      } else {
        await backend.queue('enter', next);
        await backend.release(holder);
        if ((await server.admin.exists('holdfast:turns')) === 0) break;
      }
      holder = next;
    }
    expect(handOvers).toBe(32);
    expect(await server.admin.exists('holdfast:turns')).toBe(0);
  });

  it('after those 32 within one process is taken up at once, long before the next heartbeat', async () => {
    const lock = opened.locks({ ttlMs: 30_000 }).lock('turns'); // a heartbeat each 5 s
    const beganAt = performance.now();
    const callers = Array.from({ length: 10 }, async () => {
      for (let round = 0; round < 20; round++) await lock.run(() => undefined);
    });
    await Promise.all(callers);
    expect(performance.now() - beganAt).toBeLessThan(4_000); // some 100 ms; with six heartbeats it was 30 s
  });

  it('of the last in line leaves no key but the counter', async () => {
    const backend = opened.backend();
    const [holder, waiter] = [requestFor('last'), requestFor('last')];
    await backend.tryAcquire(holder);
    await backend.queue('enter', waiter);
    await backend.release(holder);
    await backend.release(waiter);
    expect(await server.keys()).toEqual([]);
  });

  it('reaches a client whose keys have a prefix of its own, and nobody with another prefix', async () => {
    const [one, two, other] = [
      opened.locks({}, {}, { keyPrefix: 'app:' }),
      opened.locks({}, {}, { keyPrefix: 'app:' }),
      opened.locks({}, {}, { keyPrefix: 'other:' }),
    ];
    const foreign = await other.lock('prefixed').acquire();
    for (let round = 0; round < 30; round++) {
      const lease = await one.lock('prefixed').acquire();
      const waiting = two.lock('prefixed').acquire();
      await sleep(Math.random() * 20);
      const releasedAt = performance.now();
      await lease.release();
      const next = await waiting;
      expect(performance.now() - releasedAt).toBeLessThan(4_000); // the heartbeat would come after 5 s
      await next.release();
    }
    expect(foreign.state).toBe('held');
    expect((await server.keys()).sort()).toEqual(['other:holdfast:prefixed']);
    await foreign.release();
  });
});

describe('the second connection', () => {
  it('is opened only when somebody has to wait, and closed with the backend', async () => {
    const [one, two] = [opened.locks(), opened.locks()];
    const before = await listeners();
    const lease = await one.lock('lazy').acquire();
    await two.lock('another').run(() => undefined);
    expect(await listeners()).toBe(before);
    const waiting = two.lock('lazy').acquire();
    await until('a second connection', async () => (await listeners()) === before + 1);
    await lease.release();
    await (await waiting).release();
    await two.close();
    await until('no second connection', async () => (await listeners()) === before);
  });

  it('may be killed: twenty waiters go on within a second of the release', async () => {
    const holder = await opened.locks().lock('killed').acquire();
    const waiters = Array.from({ length: 20 }, () => opened.locks({ ttlMs: 30_000 }));
    const order: number[] = [];
    let firstAt = Number.POSITIVE_INFINITY;
    const waits = waiters.map((locks, index) =>
      locks.lock('killed').run(
        () => {
          order.push(index);
          firstAt = Math.min(firstAt, performance.now());
        },
        { waitMs: 25_000 },
      ),
    );
    await until('twenty in line', async () => (await server.admin.zcard('holdfast.queue:{holdfast:killed}')) === 20);
    await until('twenty that listen', async () => (await listeners()) >= 20);
    await server.admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    const releasedAt = performance.now();
    await holder.release();
    await Promise.all(waits);
    expect(firstAt - releasedAt).toBeLessThan(4_000); // the heartbeat would come after 5 s; on an idle machine 0.5 s
    expect(order).toHaveLength(20);
  });

  it('that stays behind on a server which another one has replaced is given up, and listens on the new one', async () => {
    const next = await RedisServer.start();
    opened.onClose(() => next.stop());
    const relay = await Relay.start(server.port);
    opened.onClose(() => relay.close());
    const locks = opened.locks({ ttlMs: 3_000 }, {}, { port: relay.port });
    const inboxesOn = async ({ admin }: RedisServer): Promise<number> =>
      ((await admin.pubsub('CHANNELS', 'holdfast.inbox:*')) as string[]).length;
    const holder = await opened.locks().lock('replaced').acquire();
    const waiting = locks.lock('replaced').acquire({ waitMs: 60_000 });
    await until('a waiter that listens', async () => (await inboxesOn(server)) > 0);
    // The connection for commands goes to the new server, and the one that listens has no reason to.
    await next.admin.set('holdfast:replaced', 'somebody', 'PX', 60_000);
    relay.switchTo(next.port);
    await server.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await until('a waiter that listens there', async () => (await inboxesOn(next)) === 1, 20_000);
    await until('nobody that listens here', async () => (await inboxesOn(server)) === 0);
    await next.admin.del('holdfast:replaced');
    await (await waiting).release();
    await holder.release().catch(() => undefined);
  });

  it('can be done without: waiters then ask, at most ten times a second', async () => {
    const [one, two] = [opened.locks({}, { subscriber: false }), opened.locks({}, { subscriber: false })];
    const before = await listeners();
    const lease = await one.lock('polled').acquire();
    await two.lock('another').run(() => undefined);
    await server.admin.config('RESETSTAT');
    const waiting = two.lock('polled').acquire();
    await sleep(1_000);
    expect(await server.calls('evalsha')).toBeLessThanOrEqual(12);
    expect(await server.calls('evalsha')).toBeGreaterThanOrEqual(2);
    const releasedAt = performance.now();
    await lease.release();
    await (await waiting).release();
    expect(performance.now() - releasedAt).toBeLessThan(4_000);
    expect(await listeners()).toBe(before);
  });

  it('may fail to come up: waiters ask instead', async () => {
    const relay = await Relay.start(server.port);
    opened.onClose(() => relay.close());
    const locks = opened.locks({ ttlMs: 30_000 }, {}, { port: relay.port });
    await locks.lock('warm').run(() => undefined);
    relay.switchTo(1); // nothing listens there: new connections fail, the one that stands goes on
    const holder = await opened.locks().lock('alone').acquire();
    const waiting = locks.lock('alone').acquire();
    await sleep(300);
    const releasedAt = performance.now();
    await holder.release();
    await (await waiting).release();
    expect(performance.now() - releasedAt).toBeLessThan(4_000);
  });
});
