import { describe, expect, it } from 'vitest';
import { full, lossAfterDeadlineMs, median, rate, rounds, spread } from '../../contract/figures.ts';
import { until } from '../../contract/subject.ts';
import { WorkerProcess } from '../../contract/worker-process.ts';
import { Instant, systemClock } from '../../core/clock.ts';
import { createLocks, type Lock, type Locks } from '../../core/lock.ts';
import { ZooKeeperClient } from './client/client.ts';
import { parseConnectString } from './client/hosts.ts';
import { CreateMode, OPEN_ACL } from './client/protocol.ts';
import { zookeeperBackend } from './index.ts';
import { nodeData, nodePrefix } from './nodes.ts';
import { whyNoZooKeeper, ZooKeeperServer } from './test-support/servers.ts';

// The figures of docs/backends/zookeeper.md.
const serialPairs = full ? 300 : 50;
const concurrentPairs = full ? 1_500 : 128;

const soon = (): Instant => Instant.plus(systemClock.now(), 10_000);

/** Packets that the server has received, less those of this question. */
async function received(server: ZooKeeperServer): Promise<number> {
  return Number(/Received: (\d+)/.exec(await server.ask('srvr'))?.[1]);
}

describe.skipIf(whyNoZooKeeper() !== undefined)('the figures of ZooKeeper', () => {
  it('of acquire and release, against create and delete through the same client', async () => {
    const server = await ZooKeeperServer.start();
    const none = { tls: undefined, digest: undefined, connection: () => undefined, over: () => undefined };
    const address = parseConnectString(server.address);
    const client = new ZooKeeperClient({
      ...address,
      timeoutMs: 30_000,
      clock: systemClock,
      random: Math.random,
      ...none,
    });
    const locks = createLocks(zookeeperBackend(server.address), { ttlMs: 30_000 });
    const lanes = Array.from({ length: 64 }, (_, lane) => locks.lock(`lane-${lane}`));
    for (const lock of lanes) await lock.run(() => undefined);
    await client.session.connected(soon());
    let made = 0;
    const bare = async (lane: number): Promise<void> => {
      const request = { name: '', owner: `bare:${++made}`, ttlMs: 30_000, purpose: undefined, heartbeatMs: 1 };
      const node = { mode: CreateMode.ephemeralSequential, data: nodeData(request), acl: OPEN_ACL };
      const { path } = await client.create(`/holdfast/lane-${lane}/${nodePrefix(request.owner, 1n)}`, node);
      await client.delete(path);
    };
    const ours = async (lane: number): Promise<void> => {
      const lease = await (lanes[lane] as Lock).acquire();
      await lease.release();
    };
    for (const [name, count, width] of [
      ['serial', serialPairs, 1],
      ['64 at once', concurrentPairs, 64],
    ] as const) {
      const [bareRates, ourRates]: [number[], number[]] = [[], []];
      await rate(count, width, bare);
      await rate(count, width, ours);
      for (let round = 0; round < rounds; round++) {
        bareRates.push(await rate(count, width, bare));
        ourRates.push(await rate(count, width, ours));
      }
      const ratio = median(ourRates.map((each, index) => each / (bareRates[index] as number)));
      console.info(`  ${name}: bare ${spread(bareRates)}/s, ours ${spread(ourRates)}/s, ratio ${ratio.toFixed(2)}`);
      expect(ratio).toBeGreaterThan(0.1);
    }
    await locks.close();
    await client.session.close(soon());
    await server.stop();
  }, 300_000);

  it.each([10, 100])(
    'of a hand-over with %i waiters: the requests do not depend on how many wait',
    async (waiters) => {
      const server = await ZooKeeperServer.start();
      const others: Locks[] = Array.from({ length: waiters }, () =>
        createLocks(zookeeperBackend(server.address), { ttlMs: 60_000, waitMs: 120_000 }),
      );
      const holder = await (others[0] as Locks).lock('line').acquire();
      const look = zookeeperBackend(server.address);
      const handOversMs: number[] = [];
      let releasedAtMs = 0;
      let done = 0;
      let before = 0;
      let after = 0;
      const waits = others.slice(1).map(async (locks) => {
        const lease = await locks.lock('line').acquire();
        handOversMs.push(performance.now() - releasedAtMs);
        if (++done === others.length - 1) after = await received(server);
        releasedAtMs = performance.now();
        await lease.release();
      });
      await until('all in line', async () => (await look.inspect('line', soon())).waiters.length === others.length - 1);
      before = await received(server);
      releasedAtMs = performance.now();
      await holder.release();
      await Promise.all(waits);
      const perHandOver = (after - before) / handOversMs.length;
      console.info(
        `  ${waiters} contenders: hand-over ${spread(handOversMs)} ms, ${perHandOver.toFixed(2)} requests each`,
      );
      expect(perHandOver).toBeLessThan(6); // two or three, and what pings and heartbeats come between
      await Promise.all(others.map((locks) => locks.close()));
      await look.close();
      await server.stop();
    },
    120_000,
  );

  it('of a thousand held locks of one TTL, over two renewal periods', async () => {
    const server = await ZooKeeperServer.start();
    const ttlMs = 9_000;
    const locks = createLocks(zookeeperBackend(server.address), { ttlMs });
    const leases = [];
    for (let at = 0; at < 1_000; at += 50) {
      leases.push(
        ...(await Promise.all(Array.from({ length: 50 }, (_, each) => locks.lock(`held-${at + each}`).acquire()))),
      );
    }
    const periods = 2;
    // From the first renewal on each node has a watch; those are requests of the beginning.
    await new Promise((resolve) => setTimeout(resolve, ttlMs / 2));
    const before = await received(server);
    const cpu = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, (periods * ttlMs) / 3));
    const { user, system } = process.cpuUsage(cpu);
    const perPeriod = ((await received(server)) - before) / periods;
    const cpuPercent = (user + system) / 10 / ((periods * ttlMs) / 3);
    console.info(`  1,000 locks held: ${perPeriod} requests a period, ${cpuPercent.toFixed(2)} % of a processor`);
    for (const lease of leases) lease.assertHeld();
    expect(perPeriod).toBeLessThan(100);
    await Promise.all(leases.map((lease) => lease.release()));
    await locks.close();
    await server.stop();
  }, 120_000);

  it('of the signal of a loss, with the server stopped: it never comes after the deadline', async () => {
    const server = await ZooKeeperServer.start();
    const locks = createLocks(zookeeperBackend(server.address), { ttlMs: 4_000 });
    const afterMs: number[] = [];
    for (let round = 0; round < (full ? 10 : 2); round++) {
      const lease = await locks.lock(`frozen-${round}`).acquire();
      await new Promise((resolve) => setTimeout(resolve, 50 * round));
      process.kill(server.pid, 'SIGSTOP');
      try {
        // What is under way may still be answered, and prolong it; nothing is after this.
        await new Promise((resolve) => setTimeout(resolve, 50));
        afterMs.push(await lossAfterDeadlineMs(lease));
      } finally {
        process.kill(server.pid, 'SIGCONT');
      }
    }
    console.info(`  server stopped, TTL 4 s: the signal came ${spread(afterMs)} ms after the deadline`);
    expect(Math.max(...afterMs)).toBeLessThan(0);
    await locks.close();
    await server.stop();
  }, 120_000);

  it('of the recovery after a kill', async () => {
    const server = await ZooKeeperServer.start();
    const module = new URL('./worker.mjs', new URL('./test-support/', import.meta.url));
    const locks = createLocks(zookeeperBackend(server.address), { ttlMs: 2_000, waitMs: 30_000 });
    const tookMs: number[] = [];
    for (let round = 0; round < (full ? 10 : 1); round++) {
      const worker = await WorkerProcess.start({ module, data: { servers: server.address } }, { ttlMs: 2_000 });
      await worker.acquire('killed');
      const waiting = locks.lock('killed').acquire();
      await new Promise((resolve) => setTimeout(resolve, 500 + 200 * (round % 4)));
      const killedAtMs = performance.now();
      await worker.kill();
      const lease = await waiting;
      tookMs.push(performance.now() - killedAtMs);
      await lease.release();
    }
    console.info(
      `  kill -9, session of 2 s: free after ${spread(
        tookMs.map((each) => each / 2_000),
        2,
      )} TTLs`,
    );
    expect(median(tookMs)).toBeLessThan(2_000 + 3_000);
    await locks.close();
    await server.stop();
  }, 120_000);
});
