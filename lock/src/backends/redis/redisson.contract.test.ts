import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Opened } from './test-support/opened.ts';
import { RedisServer } from './test-support/redis-server.ts';
import { RedissonLock } from './test-support/redisson-lock.ts';
import { sleep, until } from './test-support/requests.ts';

let server: RedisServer;
let opened: Opened;

beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  opened = new Opened(server);
});
afterEach(() => opened.close());

function redisson(key: string): RedissonLock {
  const lock = new RedissonLock(opened.client(), key);
  opened.onClose(() => lock.close());
  return lock;
}

it('a release of ours wakes a waiter of Redisson', async () => {
  for (const key of ['java:1', 'java:{2}']) {
    const lease = await opened.locks({}, { keyPrefix: '' }).lock(key).acquire();
    const java = redisson(key);
    const waiting = java.acquire(30_000, 30_000);
    await until('its sleep', () => java.isAsleep);
    const releasedAt = performance.now();
    await lease.release();
    expect(await waiting).toBe(true);
    expect(performance.now() - releasedAt).toBeLessThan(10_000); // our TTL would take 30 s
    expect(await java.release()).toBe(true);
  }
});

it('a release of Redisson wakes our waiter, and its channel is left afterwards', async () => {
  const java = redisson('java:3');
  expect(await java.acquire(30_000, 0)).toBe(true);
  const locks = opened.locks({ ttlMs: 30_000 }, { keyPrefix: '' });
  const waiting = locks.lock('java:3').acquire({ waitMs: 20_000 });
  const listening = async (): Promise<number> =>
    ((await server.admin.pubsub('NUMSUB', 'redisson_lock__channel:{java:3}')) as [string, number])[1];
  await until('our subscription', async () => (await listening()) === 1);
  await sleep(50);
  const releasedAt = performance.now();
  expect(await java.release()).toBe(true);
  const lease = await waiting;
  expect(performance.now() - releasedAt).toBeLessThan(4_000); // the heartbeat would come after 5 s
  await lease.release();
  await until('no subscription', async () => (await listening()) === 0);
});

it('under contention no two are ever inside, and neither side starves', async () => {
  const key = 'java:4';
  let inside = 0;
  const turns = { ours: 0, java: 0 };
  // How the turns are shared is Redisson's luck, whose clients stand in no line; that each side gets some is our part.
  const enough = (): boolean => turns.ours >= 50 && turns.java >= 10;
  const section = async (who: keyof typeof turns): Promise<void> => {
    expect(++inside).toBe(1);
    turns[who]++;
    await new Promise((resolve) => setImmediate(resolve));
    inside--;
  };
  const ours = async (): Promise<void> => {
    const lock = opened.locks({ ttlMs: 10_000, waitMs: 40_000 }, { keyPrefix: '' }).lock(key);
    while (!enough()) await lock.run(() => section('ours'));
  };
  const java = async (): Promise<void> => {
    const lock = redisson(key);
    while (!enough()) {
      if (!(await lock.acquire(10_000, 40_000))) throw new Error('A waiter of Redisson got nothing for 40 s.');
      await section('java');
      await lock.release();
    }
  };
  await Promise.all([ours(), ours(), ours(), java(), java()]);
  expect(enough()).toBe(true);
}, 60_000);
