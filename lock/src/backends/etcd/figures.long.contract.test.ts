import { afterAll, beforeAll, expect, it } from 'vitest';
import { full, lossAfterDeadlineMs, median, rate, rounds, spread } from '../../contract/figures.ts';
import { WorkerProcess } from '../../contract/worker-process.ts';
import { Instant, systemClock } from '../../core/clock.ts';
import type { Lock } from '../../core/lock.ts';
import { EtcdClient } from './client.ts';
import { Connection } from './connection.ts';
import { parseEndpoints } from './endpoints.ts';
import { contentOf } from './keys.ts';
import type { TestEtcd } from './test-support/etcd.ts';
import { eventually, sleep, World } from './test-support/world.ts';
import { fieldsOf, Writer } from './wire.ts';

// The figures of docs/backends/etcd.md.
const serialPairs = full ? 500 : 50;
const concurrentPairs = full ? 2_000 : 128;
/** Nobody renews the leases of what we compare with. */
const LEASE_S = 3_600;
const names = Array.from({ length: 64 }, (_, lane) => `lane-${lane}`);

const soon = (): Instant => Instant.plus(systemClock.now(), 10_000);
const world = new World();
let etcd: TestEtcd;
beforeAll(async () => {
  etcd = await world.etcd();
});
afterAll(() => world.end());

function client(): EtcdClient {
  const { endpoints } = parseEndpoints(etcd.endpoints);
  const one = new EtcdClient({ endpoints, tls: undefined, credentials: undefined, clock: systemClock });
  world.onEnd(() => one.close());
  return one;
}

/** The lock that etcd itself offers as a service, through a connection of ours. */
async function lockService(): Promise<{
  lock(name: string, lease: bigint): Promise<Buffer>;
  unlock(key: Buffer): Promise<void>;
}> {
  const [endpoint] = parseEndpoints(etcd.endpoints).endpoints;
  if (endpoint === undefined) throw new Error('There is no member.');
  const connection = await Connection.open(endpoint, undefined, new AbortController().signal);
  world.onEnd(() => connection.destroy());
  return {
    async lock(name, lease) {
      const asks = new Writer().bytes(1, name).int64(2, lease).finish();
      const answer = await connection.call('/v3lockpb.Lock/Lock', asks, {}, 120_000);
      for (const { number, bytes } of fieldsOf(answer)) if (number === 2) return bytes;
      throw new Error('The lock service gave no key.');
    },
    async unlock(key) {
      await connection.call('/v3lockpb.Lock/Unlock', new Writer().bytes(1, key).finish(), {}, 10_000);
    },
  };
}

it('of acquire and release, against put and delete through the same client and the lock service', async () => {
  const raw = client();
  const lease = (await raw.grant(LEASE_S, soon())).id;
  const { locks } = world.locks({ endpoints: etcd.endpoints }, { ttlMs: 60_000 });
  const lanes = names.map((name) => locks.lock(name));
  for (const lock of lanes) await lock.run(() => undefined);
  const service = await lockService();
  // The lock service knows its owner by the lease alone.
  const leases = await Promise.all(names.map(async () => (await raw.grant(LEASE_S, soon())).id));
  const value = contentOf({ name: '', owner: 'bare:1', ttlMs: 60_000, purpose: undefined, heartbeatMs: 1 });
  const subjects = {
    bare: async (lane: number): Promise<void> => {
      const key = `bare/${lane}`;
      const put = [{ put: { key, value, lease } }];
      const put1 = await raw.transaction(
        'a put',
        { compare: [{ key, createRevision: 0n }], success: put, failure: [] },
        soon(),
      );
      const compare = [{ key, createRevision: put1.revision }];
      await raw.transaction('a delete', { compare, success: [{ delete: { key } }], failure: [] }, soon());
    },
    ours: async (lane: number): Promise<void> => {
      const held = await (lanes[lane] as Lock).acquire();
      await held.release();
    },
    service: async (lane: number): Promise<void> => {
      await service.unlock(await service.lock(`service-${lane}`, leases[lane] as bigint));
    },
  };
  const ids = Object.keys(subjects) as (keyof typeof subjects)[];
  for (const [which, count, width] of [
    ['serial', serialPairs, 1],
    ['64 at once', concurrentPairs, 64],
  ] as const) {
    const rates = { bare: [] as number[], ours: [] as number[], service: [] as number[] };
    for (const id of ids) await rate(count, width, subjects[id]);
    for (let round = 0; round < rounds; round++) {
      const at = round % ids.length;
      for (const id of [...ids.slice(at), ...ids.slice(0, at)]) rates[id].push(await rate(count, width, subjects[id]));
    }
    const ratioTo = (other: readonly number[]): number[] =>
      rates.ours.map((each, round) => each / (other[round] as number));
    console.info(
      `  ${which}: bare ${spread(rates.bare, 0)}/s, ours ${spread(rates.ours, 0)}/s, lock service ${spread(rates.service, 0)}/s`,
    );
    console.info(
      `  ${which}: ours to bare ${spread(ratioTo(rates.bare), 2)}, ours to the lock service ${spread(ratioTo(rates.service), 2)}`,
    );
    expect(median(ratioTo(rates.bare))).toBeGreaterThan(0.1);
  }
}, 300_000);

/** Each contender has the lock once, one after the other. Gives the hand-overs in ms, and what they cost in calls. */
async function line(
  contenders: readonly ((name: string) => Promise<() => Promise<unknown>>)[],
  name: string,
): Promise<{ readonly handOversMs: readonly number[]; readonly callsEach: number }> {
  const handOversMs: number[] = [];
  let releasedAtMs = 0;
  const turn = async (release: () => Promise<unknown>): Promise<void> => {
    releasedAtMs = performance.now();
    await release();
  };
  const [first, ...others] = contenders;
  if (first === undefined) throw new Error('There is no contender.');
  const release = await first(name);
  const watchersBefore = await etcd.metric('etcd_debugging_mvcc_watcher_total');
  const turns = others.map(async (contender) => {
    const next = await contender(name);
    handOversMs.push(performance.now() - releasedAtMs);
    await turn(next);
  });
  await eventually(
    'all in line',
    async () => (await etcd.metric('etcd_debugging_mvcc_watcher_total')) - watchersBefore >= others.length,
    60_000,
  );
  const before = await calls();
  await turn(release);
  await Promise.all(turns);
  return { handOversMs, callsEach: ((await calls()) - before) / others.length };
}

/** Calls of clients that read or write, in both forms of the lock. */
async function calls(): Promise<number> {
  const methods = ['Txn', 'Range', 'Put', 'DeleteRange', 'Lock', 'Unlock'];
  const counts = await Promise.all(methods.map((method) => etcd.calls(method)));
  return counts.reduce((sum, count) => sum + count, 0);
}

it.each([10, 100])(
  'of a hand-over among %i waiters, against the lock service: the calls do not depend on how many wait',
  async (waiters) => {
    const raw = client();
    const service = await lockService();
    const theirs = await Promise.all(
      Array.from({ length: waiters + 1 }, async () => {
        const { id } = await raw.grant(LEASE_S, soon());
        return async (name: string) => {
          const key = await service.lock(name, id);
          return () => service.unlock(key);
        };
      }),
    );
    const ours = Array.from({ length: waiters + 1 }, () => {
      const { locks } = world.locks({ endpoints: etcd.endpoints }, { ttlMs: 120_000, waitMs: 120_000 });
      return async (name: string) => {
        const lease = await locks.lock(name).acquire();
        return () => lease.release();
      };
    });
    const p50 = { ours: [] as number[], theirs: [] as number[] };
    const callsEach = { ours: [] as number[], theirs: [] as number[] };
    for (let round = -1; round < (full ? 15 : 1); round++) {
      for (const id of round % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const)) {
        const found = await line(id === 'ours' ? ours : theirs, `line-${id}`);
        if (round < 0) continue; // a warm-up
        p50[id].push(median(found.handOversMs));
        callsEach[id].push(found.callsEach);
      }
    }
    const ratio = p50.ours.map((each, round) => each / (p50.theirs[round] as number));
    console.info(
      `  ${waiters} waiters: ours ${spread(p50.ours, 2)} ms with ${spread(callsEach.ours, 2)} calls, ` +
        `lock service ${spread(p50.theirs, 2)} ms, ratio ${spread(ratio, 2)}`,
    );
    expect(median(callsEach.ours)).toBeLessThan(6); // two, and what heartbeats come between
  },
  300_000,
);

it('of a thousand held locks of one TTL, over two renewal periods', async () => {
  const ttlMs = 9_000;
  const { locks } = world.locks({ endpoints: etcd.endpoints }, { ttlMs });
  const leases = [];
  for (let at = 0; at < 1_000; at += 50) {
    leases.push(
      ...(await Promise.all(Array.from({ length: 50 }, (_, each) => locks.lock(`held-${at + each}`).acquire()))),
    );
  }
  const RENEWALS = 'etcd_debugging_lease_renewed_total';
  const [renewals, reads] = [await etcd.metric(RENEWALS), await etcd.calls('Txn')];
  const cpu = process.cpuUsage();
  const periods = 2;
  await sleep((periods * ttlMs) / 3);
  const { user, system } = process.cpuUsage(cpu);
  const perPeriod = ((await etcd.metric(RENEWALS)) - renewals) / periods;
  const readsPerPeriod = ((await etcd.calls('Txn')) - reads) / periods;
  const cpuPercent = (user + system) / 10 / ((periods * ttlMs) / 3);
  console.info(
    `  1,000 locks held: ${perPeriod} renewals and ${readsPerPeriod} reads a period, ${cpuPercent.toFixed(2)} % of a processor`,
  );
  for (const lease of leases) lease.assertHeld();
  // Several renewals may fall on one sixth of a TTL each; a thousand never.
  expect(perPeriod).toBeLessThan(10);
  await Promise.all(leases.map((lease) => lease.release()));
}, 120_000);

it('of the signal of a loss, with the server stopped: it never comes after the deadline', async () => {
  const { locks } = world.locks({ endpoints: etcd.endpoints }, { ttlMs: 2_000 });
  const afterMs: number[] = [];
  for (let round = 0; round < (full ? 10 : 2); round++) {
    const lease = await locks.lock(`frozen-${round}`).acquire();
    await sleep(100 * round);
    etcd.signal(0, 'SIGSTOP');
    try {
      // What is under way may still be answered, and prolong it; nothing is after this.
      await sleep(50);
      afterMs.push(await lossAfterDeadlineMs(lease));
    } finally {
      etcd.signal(0, 'SIGCONT');
    }
    await etcd.answers();
  }
  console.info(`  server stopped, TTL 2 s: the signal came ${spread(afterMs)} ms after the deadline`);
  expect(Math.max(...afterMs)).toBeLessThan(0);
}, 120_000);

it('of the recovery after a kill', async () => {
  const ttlMs = 2_000;
  const module = new URL('./test-support/backend.mjs', import.meta.url);
  const { locks } = world.locks({ endpoints: etcd.endpoints }, { ttlMs, waitMs: 30_000 });
  const inTtls: number[] = [];
  for (let round = 0; round < (full ? 10 : 1); round++) {
    const worker = await WorkerProcess.start({ module, data: { endpoints: etcd.endpoints } }, { ttlMs });
    await worker.acquire('killed');
    const waiting = locks.lock('killed').acquire();
    await sleep(500 + 200 * (round % 4));
    const killedAtMs = performance.now();
    await worker.kill();
    const lease = await waiting;
    inTtls.push((performance.now() - killedAtMs) / ttlMs);
    await lease.release();
  }
  console.info(`  kill -9, TTL 2 s: free after ${spread(inTtls, 2)} TTLs`);
  expect(median(inTtls)).toBeLessThan(3);
}, 120_000);
