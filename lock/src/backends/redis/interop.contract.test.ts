import { existsSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LeaseOf, Locks, LocksOptions } from '../../core/lock.ts';
import { type Contender, Peer } from '../../test-support/peer.ts';
import type { RedisBackend } from './index.ts';
import { Opened } from './test-support/opened.ts';
import { RedisServer } from './test-support/redis-server.ts';

const REDIS_PY = '/usr/lib/python3/dist-packages/redis/client.py';

const isMissing = !existsSync(REDIS_PY);
if (isMissing) console.info(`  - redis beside redis-py: skipped, since ${REDIS_PY} is missing: npm run setup`);

/** Far more than anything here takes, so that whatever comes sooner was not the end of a TTL. */
const TTL_MS = 30_000;

describe.skipIf(isMissing)('a Redis lock beside the one of redis-py', () => {
  let server: RedisServer;
  let opened: Opened;
  let python: Peer;

  beforeAll(async () => {
    server = await RedisServer.start();
    python = startPython();
  });
  afterAll(async () => {
    await python?.kill();
    await server?.stop();
  });
  beforeEach(() => {
    opened = new Opened(server);
  });
  afterEach(() => opened.close());

  const startPython = (): Peer =>
    Peer.python(new URL('./test-support/redis_py_peer.py', import.meta.url), `redis://127.0.0.1:${server.port}`);
  const theirs = (name: string, ttlMs = TTL_MS, peer = python): Promise<Contender> =>
    peer.contender(name, String(ttlMs));
  const ours = (options: LocksOptions = {}): Locks<LeaseOf<RedisBackend>> =>
    opened.locks({ ttlMs: TTL_MS, waitMs: TTL_MS, ...options }, { keyPrefix: '' });

  it('is held by one side, and a try of the other finds it held', async () => {
    const [peer, lock] = [await theirs('either'), ours().lock('either')];
    expect(await peer.ask('acquire', '0')).toBe('true');
    expect(await lock.tryAcquire()).toBeNull();
    expect(await peer.ask('extend', String(TTL_MS))).toBe('extended');
    expect(await peer.ask('release')).toBe('released');
    const lease = await lock.acquire();
    expect(await peer.ask('acquire', '0')).toBe('false');
    await lease.confirm();
    await lease.release();
    expect(await peer.ask('acquire', '0')).toBe('true');
    expect(await peer.ask('release')).toBe('released');
  });

  it('goes over to the side that waits long before a TTL is over', async () => {
    const [peer, lock] = [await theirs('over'), ours().lock('over')];
    const lease = await lock.acquire();
    const waitsThere = peer.ask('acquire', String(TTL_MS));
    await lease.release();
    expect(await waitsThere).toBe('true');
    const waitsHere = lock.acquire();
    expect(await peer.ask('release')).toBe('released');
    await (await waitsHere).release();
  });

  it('of a redis-py that is killed comes to us when its TTL is over, and not before', async () => {
    const other = startPython();
    try {
      const peer = await theirs('killed', 1_000, other);
      expect(await peer.ask('acquire', '0')).toBe('true');
      await other.kill();
      const leftMs = await server.admin.pttl('killed');
      expect(leftMs).toBeGreaterThan(0);
      const askedAtMs = performance.now();
      const lease = await ours().lock('killed').acquire();
      expect(performance.now() - askedAtMs).toBeGreaterThan(leftMs - 20);
      await lease.release();
    } finally {
      await other.kill();
    }
  });

  it('whose TTL ran out there while we hold it is not released by them', async () => {
    const peer = await theirs('late', 200);
    expect(await peer.ask('acquire', '0')).toBe('true');
    const lease = await ours().lock('late').acquire();
    expect(await peer.ask('release')).toMatch(/^refused: WRONGTYPE/); // ours is a hash
    expect(await lease.confirm()).toBeUndefined();
    await lease.release();
  });

  it('under contention neither side ever enters while the other is in, and both get their turns', async () => {
    let inside = 0;
    const turns = { ours: 0, theirs: 0 };
    // How the turns are shared is chance, since redis-py stands in no line.
    const enough = (): boolean => turns.ours >= 30 && turns.theirs >= 5;
    const section = async (who: keyof typeof turns): Promise<void> => {
      expect(++inside).toBe(1);
      turns[who]++;
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
    };
    const we = async (): Promise<void> => {
      const lock = ours().lock('both');
      while (!enough()) await lock.run(() => section('ours'));
    };
    const they = async (peer: Contender): Promise<void> => {
      while (!enough()) {
        expect(await peer.ask('acquire', String(TTL_MS))).toBe('true');
        await section('theirs');
        expect(await peer.ask('release')).toBe('released');
      }
    };
    const second = startPython();
    try {
      await Promise.all([we(), we(), they(await theirs('both')), they(await theirs('both', TTL_MS, second))]);
    } finally {
      await second.kill();
    }
    expect(enough()).toBe(true);
  }, 60_000);
});
