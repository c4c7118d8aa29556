import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../contract/subject.ts';
import { WorkerProcess } from '../../contract/worker-process.ts';
import type { LeaseOf, Locks, LocksOptions } from '../../core/lock.ts';
import type { Contender, Peer } from '../../test-support/peer.ts';
import { type ZooKeeperBackend, zookeeperBackend } from './index.ts';
import { compileCurator, startCurator, startKazoo, whyNoCurator, whyNoKazoo } from './test-support/others.ts';
import { whyNoZooKeeper, ZooKeeperServer } from './test-support/servers.ts';
import { soon, World } from './test-support/world.ts';

const missing = whyNoZooKeeper() ?? whyNoCurator() ?? whyNoKazoo();
if (missing !== undefined) console.info(`  - zookeeper beside Curator and kazoo: skipped, since ${missing}`);

/** The session of both sides where one of them is killed. */
const SESSION_MS = 1_500;

describe.skipIf(missing !== undefined)('a ZooKeeper lock beside those of other languages', () => {
  let server: ZooKeeperServer;
  let look: ZooKeeperBackend;
  let folder: string;
  /** Programs that start slowly are started once; who is killed has one of its own. */
  let curatorPeer: Peer;
  let kazooPeer: Peer;

  const world = new World();
  afterEach(() => world.end());

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-curator-'));
    [server] = await Promise.all([ZooKeeperServer.start(), compileCurator(folder)]);
    look = zookeeperBackend(server.address);
    curatorPeer = startCurator(folder, server.address, 30_000);
    kazooPeer = startKazoo(server.address);
  }, 60_000);

  afterAll(async () => {
    await Promise.all([curatorPeer?.kill(), kazooPeer?.kill(), look?.close()]);
    await server?.stop();
    await rm(folder, { recursive: true });
  }, 60_000);

  const ours = (options: LocksOptions = {}): Locks<LeaseOf<ZooKeeperBackend>> =>
    world.locks(server.address, { ttlMs: 30_000, waitMs: 30_000, ...options });

  const curator = (name: string): Promise<Contender> => curatorPeer.contender(look.pathOf(name));

  const inLine = (name: string, length: number): Promise<void> =>
    until(`${length} in line`, async () => {
      const { holder, waiters } = await look.inspect(name, soon());
      return (holder === null ? 0 : 1) + waiters.length === length;
    });

  it('is held by Curator or by us, and a try of the other finds it held', async () => {
    const [peer, lock] = [await curator('either'), ours().lock('either')];
    expect(await peer.ask('acquire')).toBe('acquired');
    expect(await lock.tryAcquire()).toBeNull();
    expect(await peer.ask('release')).toBe('released');
    const lease = await lock.acquire();
    expect(await peer.ask('try', '200')).toBe('false');
    await lease.release();
    expect(await peer.ask('try', '200')).toBe('true');
    expect(await peer.ask('release')).toBe('released');
  });

  it('goes over to the other side at once when it is released', async () => {
    const [peer, lock] = [await curator('over'), ours().lock('over')];
    for (let round = 0; round < 5; round++) {
      const lease = await lock.acquire();
      const theirs = peer.ask('acquire');
      await inLine('over', 2);
      const releasedAtMs = performance.now();
      await lease.release();
      await theirs;
      expect(performance.now() - releasedAtMs).toBeLessThan(1_000); // our heartbeat comes after 5,000 ms
      const waiting = lock.acquire();
      await inLine('over', 2);
      const freedAtMs = performance.now();
      await peer.ask('release');
      await (await waiting).release();
      expect(performance.now() - freedAtMs).toBeLessThan(1_000);
    }
  });

  it('excludes under contention: no update of a shared counter is lost', async () => {
    const [theirs, here, rounds] = [3, 3, 25];
    const counter = join(folder, 'counter');
    await writeFile(counter, '0');
    const counting = Array.from({ length: theirs }, async () =>
      (await curator('contended')).ask('count', String(rounds), counter),
    );
    const countingHere = Array.from({ length: here }, async () => {
      const lock = ours({ waitMs: 60_000 }).lock('contended');
      for (let round = 0; round < rounds; round++) {
        await lock.run(async () => {
          const count = Number(await readFile(counter, 'utf8'));
          await new Promise((resolve) => setTimeout(resolve, 1));
          await writeFile(counter, String(count + 1));
        });
      }
    });
    expect(await Promise.all(counting)).toEqual(Array.from({ length: theirs }, () => 'counted'));
    await Promise.all(countingHere);
    expect(await readFile(counter, 'utf8')).toBe(String((theirs + here) * rounds));
  }, 90_000);

  it('is given in the order in which both sides came', async () => {
    const holder = await ours().lock('order').acquire();
    const order: string[] = [];
    const waits: Promise<unknown>[] = [];
    for (let index = 0; index < 3; index++) {
      const [peer, lock] = [await curator('order'), ours().lock('order')];
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
    const peer = startCurator(folder, server.address, SESSION_MS);
    world.onEnd(() => peer.kill());
    await (await peer.contender(look.pathOf('theirs'))).ask('acquire');
    const waiting = ours({ ttlMs: SESSION_MS }).lock('theirs').acquire();
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
    world.onEnd(() => worker.kill());
    await worker.acquire('ours');
    const theirs = (await curator('ours')).ask('acquire');
    await inLine('ours', 2);
    const killedAtMs = performance.now();
    await worker.kill();
    await theirs;
    expect(performance.now() - killedAtMs).toBeLessThan(SESSION_MS + 2_000);
  });

  it('shows Curator as a foreign holder, which can be broken', async () => {
    await (await curator('foreign')).ask('acquire');
    const { holder } = await look.inspect('foreign', soon());
    expect(holder).toMatchObject({ foreign: true, pid: undefined });
    expect(holder?.owner).toMatch(/^_c_[0-9a-f-]{36}-lock-0000000000$/);
    const { raiseTo } = await look.breakLock('foreign', soon());
    const lease = await ours().lock('foreign').acquire();
    expect(lease.fencingToken >= raiseTo).toBe(true);
    await lease.release();
  });

  it('does not exclude kazoo, nor does kazoo exclude it: its nodes are called otherwise', async () => {
    const peer = await kazooPeer.contender(look.pathOf('kazoo'));
    const lease = await ours().lock('kazoo').acquire();
    expect(await peer.ask('try', '2000')).toBe('true'); // both hold
    await lease.release();
    expect(await peer.ask('release')).toBe('released');
  });

  it('makes a kazoo wait that is told of our names, but does not wait for it in return', async () => {
    const lock = ours().lock('told');
    const peer = await kazooPeer.contender(look.pathOf('told'), 'lock-');
    const lease = await lock.acquire();
    expect(await peer.ask('try', '500')).toBe('false');
    await lease.release();
    expect(await peer.ask('try', '2000')).toBe('true');
    // Its name has no number where Curator's rule looks for one, so it comes after all that have one.
    const own = await lock.tryAcquire();
    expect(own?.state).toBe('held');
    await own?.release();
    expect(await peer.ask('release')).toBe('released');
  });
});
