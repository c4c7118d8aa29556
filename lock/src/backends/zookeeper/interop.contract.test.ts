import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../contract/subject.ts';
import { WorkerProcess } from '../../contract/worker-process.ts';
import { systemClock } from '../../core/clock.ts';
import { createLocks, type LeaseOf, type Locks, type LocksOptions } from '../../core/lock.ts';
import { type ZooKeeperBackend, zookeeperBackend } from './index.ts';
import { Peer, whyNoCurator, whyNoKazoo } from './test-support/peer.ts';
import { whyNoZooKeeper, ZooKeeperServer } from './test-support/servers.ts';

const missing = whyNoZooKeeper() ?? whyNoCurator() ?? whyNoKazoo();
if (missing !== undefined) console.info(`  - zookeeper beside Curator and kazoo: skipped, since ${missing}`);

/** The session of both sides where one of them is killed. */
const SESSION_MS = 2_000;

describe.skipIf(missing !== undefined)('a ZooKeeper lock beside those of other languages', () => {
  let server: ZooKeeperServer;
  let folder: string;
  const cleanUps: (() => Promise<unknown>)[] = [];

  const locksHere = (options: LocksOptions = {}): Locks<LeaseOf<ZooKeeperBackend>> => {
    const locks = createLocks(zookeeperBackend(server.address), { ttlMs: 30_000, waitMs: 30_000, ...options });
    cleanUps.push(() => locks.close());
    return locks;
  };
  const curator = (name: string, sessionMs = 30_000): Peer => {
    const path = zookeeperBackend(server.address).pathOf(name);
    const peer = Peer.curator(folder, server.address, path, sessionMs);
    cleanUps.push(() => peer.kill());
    return peer;
  };
  const inLine = async (name: string, length: number): Promise<void> => {
    const backend = zookeeperBackend(server.address);
    try {
      const soon = () => (systemClock.now() + 5_000) as ReturnType<typeof systemClock.now>;
      await until(`${length} in line`, async () => {
        const { holder, waiters } = await backend.inspect(name, soon());
        return (holder === null ? 0 : 1) + waiters.length === length;
      });
    } finally {
      await backend.close();
    }
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-curator-'));
    Peer.compile(folder);
    server = await ZooKeeperServer.start();
  }, 60_000);

  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  it('is held by Curator or by us, and a try of the other finds it held', async () => {
    const [peer, lock] = [curator('either'), locksHere().lock('either')];
    expect(await peer.ask('acquire')).toBe('acquired');
    expect(await lock.tryAcquire()).toBeNull();
    expect(await peer.ask('release')).toBe('released');
    const lease = await lock.acquire();
    expect(await peer.ask('try 200')).toBe('false');
    await lease.release();
    expect(await peer.ask('try 200')).toBe('true');
  });

  it('goes over to the other side at once when it is released', async () => {
    const [peer, lock] = [curator('over'), locksHere().lock('over')];
    await peer.ask('try 0').then(() => peer.ask('release')); // the first use of a Java program is slow
    for (let round = 0; round < 5; round++) {
      const lease = await lock.acquire();
      const theirs = peer.ask('acquire');
      await inLine('over', 2);
      const releasedAtMs = performance.now();
      await lease.release();
      await theirs;
      expect(performance.now() - releasedAtMs).toBeLessThan(1_000); // our heartbeat comes after 5,000 ms
      const ours = lock.acquire();
      await inLine('over', 2);
      const freedAtMs = performance.now();
      await peer.ask('release');
      await (await ours).release();
      expect(performance.now() - freedAtMs).toBeLessThan(1_000);
    }
  });

  it('excludes under contention: no update of a shared counter is lost', async () => {
    const [peers, here, rounds] = [2, 2, 100];
    const counter = join(folder, 'counter');
    await writeFile(counter, '0');
    const theirs = Array.from({ length: peers }, () => curator('contended').ask(`loop ${rounds} ${counter}`));
    const ours = Array.from({ length: here }, async () => {
      const lock = locksHere({ waitMs: 60_000 }).lock('contended');
      for (let round = 0; round < rounds; round++) {
        await lock.run(async () => {
          const count = Number(await readFile(counter, 'utf8'));
          await new Promise((resolve) => setTimeout(resolve, 1));
          await writeFile(counter, String(count + 1));
        });
      }
    });
    await Promise.all([...theirs, ...ours]);
    expect(await readFile(counter, 'utf8')).toBe(String((peers + here) * rounds));
  }, 90_000);

  it('is given in the order in which both sides came', async () => {
    const holder = await locksHere().lock('order').acquire();
    const order: string[] = [];
    const waits: Promise<unknown>[] = [];
    for (let index = 0; index < 3; index++) {
      const [peer, lock] = [curator('order'), locksHere().lock('order')];
      waits.push(
        peer.ask('acquire').then(() => {
          order.push(`curator ${index}`);
          return peer.ask('release');
        }),
      );
      await inLine('order', 2 + 2 * index);
      waits.push(lock.run(() => void order.push(`holdfast ${index}`)));
      await inLine('order', 3 + 2 * index);
    }
    await holder.release();
    await Promise.all(waits);
    const expected = [0, 1, 2].flatMap((index) => [`curator ${index}`, `holdfast ${index}`]);
    expect(order).toEqual(expected);
  }, 60_000);

  it('is free for us after the session of a Curator that was killed', async () => {
    const peer = curator('theirs', SESSION_MS);
    await peer.ask('acquire');
    const waiting = locksHere({ ttlMs: SESSION_MS }).lock('theirs').acquire();
    await inLine('theirs', 2);
    const killedAtMs = performance.now();
    await peer.kill();
    const lease = await waiting;
    expect(performance.now() - killedAtMs).toBeLessThan(SESSION_MS + 2_000);
    await lease.release();
  });

  it('is free for Curator after our process was killed', async () => {
    const module = new URL('./test-support/worker.mjs', import.meta.url);
    const worker = await WorkerProcess.start({ module, data: { servers: server.address } }, { ttlMs: SESSION_MS });
    cleanUps.push(() => worker.kill());
    await worker.acquire('ours');
    const theirs = curator('ours').ask('acquire');
    await inLine('ours', 2);
    const killedAtMs = performance.now();
    await worker.kill();
    await theirs;
    expect(performance.now() - killedAtMs).toBeLessThan(SESSION_MS + 2_000);
  });

  it('shows Curator as a foreign holder, which can be broken', async () => {
    const peer = curator('foreign');
    await peer.ask('acquire');
    const backend = zookeeperBackend(server.address);
    cleanUps.push(() => backend.close());
    const soon = (systemClock.now() + 5_000) as ReturnType<typeof systemClock.now>;
    const { holder } = await backend.inspect('foreign', soon);
    expect(holder).toMatchObject({ foreign: true, pid: undefined });
    expect(holder?.owner).toMatch(/^_c_[0-9a-f-]{36}-lock-0000000000$/);
    const { raiseTo } = await backend.breakLock('foreign', soon);
    const lease = await locksHere().lock('foreign').acquire();
    expect(lease.fencingToken >= raiseTo).toBe(true);
    await lease.release();
  });

  it('does not exclude kazoo, nor does kazoo exclude it: its nodes are called otherwise', async () => {
    const lock = locksHere().lock('kazoo');
    const path = zookeeperBackend(server.address).pathOf('kazoo');
    const peer = Peer.kazoo(server.address, path, '');
    cleanUps.push(() => peer.kill());
    const lease = await lock.acquire();
    expect(await peer.ask('try 2000')).toBe('true'); // both hold
    await lease.release();
    expect(await peer.ask('release')).toBe('released');
  });

  it('makes a kazoo wait that is told of our names, but does not wait for it in return', async () => {
    const lock = locksHere().lock('told');
    const path = zookeeperBackend(server.address).pathOf('told');
    const peer = Peer.kazoo(server.address, path, 'lock-');
    cleanUps.push(() => peer.kill());
    const lease = await lock.acquire();
    expect(await peer.ask('try 500')).toBe('false');
    await lease.release();
    expect(await peer.ask('try 2000')).toBe('true');
    // Its name has no number where Curator's rule looks for one, so it comes after all that have one.
    const own = await lock.tryAcquire();
    expect(own?.state).toBe('held');
    await own?.release();
    expect(await peer.ask('release')).toBe('released');
  });
});
