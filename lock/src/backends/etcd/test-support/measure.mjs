// Figures of the etcd backend on this machine, on a single etcd of its own, each beside the bare transactions through the
// same client: npm run build && node lock/src/backends/etcd/test-support/measure.mjs
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { EtcdClient } from '../../../../dist/backends/etcd/client.mjs';
import { parseEndpoints } from '../../../../dist/backends/etcd/endpoints.mjs';
import { etcdBackend } from '../../../../dist/backends/etcd/index.mjs';
import { createLocks, Instant, systemClock } from '../../../../dist/index.mjs';

if (process.argv[2] === 'hold') {
  const [, , , endpoint, ttlMs] = process.argv;
  await createLocks(etcdBackend({ endpoints: [endpoint] }), { ttlMs: Number(ttlMs) })
    .lock('killed')
    .acquire();
  process.send('held');
  setInterval(() => undefined, 1_000);
  await new Promise(() => undefined);
}

const { module } = await runnerImport(fileURLToPath(new URL('etcd.ts', import.meta.url)));
const { TestEtcd } = module;
const etcd = await TestEtcd.start();
const { endpoints } = etcd;
const soon = () => Instant.plus(systemClock.now(), 10_000);
const client = new EtcdClient({
  ...parseEndpoints(endpoints),
  tls: undefined,
  credentials: undefined,
  clock: systemClock,
});
const locks = createLocks(etcdBackend({ endpoints }), { ttlMs: 30_000 });
const { id: lease } = await client.grant(3_600, soon());

async function bare(name) {
  const key = `${name}/bare`;
  const put = { put: { key, value: 'me', lease } };
  const taken = await client.transaction(
    '',
    { compare: [{ key, createRevision: 0n }], success: [put], failure: [] },
    soon(),
  );
  const compare = [{ key, createRevision: taken.revision }];
  await client.transaction('', { compare, success: [{ delete: { key } }], failure: [] }, soon());
}
const ours = async (name) => (await locks.lock(name).acquire()).release();

async function rate(pair, concurrency, pairs) {
  let left = pairs;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async (_, index) => {
      while (left-- > 0) await pair(`rate-${index}`);
    }),
  );
  return pairs / ((performance.now() - startedAt) / 1000);
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

for (const [concurrency, pairs] of [
  [1, 20],
  [64, 640],
]) {
  const rates = { bare: [], ours: [] };
  await rate(bare, concurrency, 400);
  await rate(ours, concurrency, 400);
  for (let round = 0; round < 30; round++) {
    // Short rounds, and who goes first changes, so that what else the machine does favours nobody.
    for (const who of round % 2 === 0 ? ['bare', 'ours'] : ['ours', 'bare']) {
      rates[who].push(await rate(who === 'bare' ? bare : ours, concurrency, pairs));
    }
  }
  const ratio = median(rates.ours.map((each, round) => each / rates.bare[round]));
  console.log(
    `${concurrency} at once: bare ${median(rates.bare).toFixed(0)}/s, ours ${median(rates.ours).toFixed(0)}/s, ratio ${ratio.toFixed(2)}`,
  );
}

for (const waiters of [10, 100]) {
  const name = `hand-over-${waiters}`;
  const processes = Array.from({ length: waiters }, () => createLocks(etcdBackend({ endpoints }), { ttlMs: 60_000 }));
  const holder = await locks.lock(name).acquire();
  const times = [];
  let releasedAt = 0;
  const waits = processes.map(async (each) => {
    const held = await each.lock(name).acquire({ waitMs: 60_000 });
    times.push(performance.now() - releasedAt);
    releasedAt = performance.now();
    await held.release();
  });
  while ((await client.range({ key: `${name}/`, rangeEnd: `${name}0` }, soon())).kvs.length <= waiters)
    await new Promise((r) => setTimeout(r, 50));
  const calls = async () =>
    (await etcd.calls('Txn')) + (await etcd.calls('Range')) + (await etcd.calls('LeaseKeepAlive'));
  const before = await calls();
  releasedAt = performance.now();
  await holder.release();
  await Promise.all(waits);
  const perHandOver = ((await calls()) - before) / (waiters + 1);
  console.log(
    `hand-over with ${waiters} waiters: p50 ${median(times).toFixed(1)} ms from the call of release to the grant, ${perHandOver.toFixed(2)} calls each`,
  );
  await Promise.all(processes.map((each) => each.close()));
}

{
  const names = Array.from({ length: 1_000 }, (_, index) => `held-${index}`);
  const short = createLocks(etcdBackend({ endpoints }), { ttlMs: 9_000 });
  const leases = await Promise.all(names.map((name) => short.lock(name).acquire({ waitMs: 60_000 })));
  await new Promise((resolve) => setTimeout(resolve, 3_500));
  const [renewals, reads, cpu] = [
    await etcd.metric('etcd_debugging_lease_renewed_total'),
    await etcd.calls('Txn'),
    process.cpuUsage(),
  ];
  await new Promise((resolve) => setTimeout(resolve, 9_000));
  const used = process.cpuUsage(cpu);
  console.log(
    `1,000 held locks, in three periods of 3 s: ${(await etcd.metric('etcd_debugging_lease_renewed_total')) - renewals} keep-alives, ${(await etcd.calls('Txn')) - reads} reads, client CPU ${((used.user + used.system) / 9e4).toFixed(1)} %, ${leases.filter(({ state }) => state === 'held').length} still held`,
  );
  await short.close();
}

for (const ttlMs of [1_000, 3_000]) {
  const took = [];
  for (let run = 0; run < 5; run++) {
    const child = fork(fileURLToPath(import.meta.url), ['hold', endpoints[0], String(ttlMs)]);
    await once(child, 'message');
    await new Promise((resolve) => setTimeout(resolve, (run * ttlMs) / 15)); // at different points of a period
    const waiting = locks.lock('killed').acquire({ waitMs: 30_000 });
    const killedAt = performance.now();
    child.kill('SIGKILL');
    const held = await waiting;
    took.push(performance.now() - killedAt);
    await held.release();
  }
  console.log(
    `kill -9 with a TTL of ${ttlMs} ms: free after ${median(took).toFixed(0)} ms (${Math.min(...took).toFixed(0)} to ${Math.max(...took).toFixed(0)}), ${(median(took) / ttlMs).toFixed(2)} times the TTL`,
  );
}

await locks.close();
client.close();
await etcd.stop();
