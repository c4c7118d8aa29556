// What acknowledgements cost: acquire and release, one after the other, on a primary with two replicas in step, without
// replicas and with one or two that must acknowledge, in turn. `npm run lab:price`
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLocks } from 'holdfast';
import { fromIoredis, redisBackend } from 'holdfast/redis';
import { Redis } from 'ioredis';

const ROUNDS = 15;
const PAIRS = 200;

const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-price-'));
const servers = [];
const clients = [];
try {
  const primary = await start();
  const replicas = [await start(primary.port), await start(primary.port)];
  for (const { admin } of replicas)
    await until(async () => (await admin.info('replication')).includes('link_status:up'));
  const subjects = [0, 1, 2].map((count) => {
    const client = new Redis(primary.port, '127.0.0.1');
    clients.push(client);
    const locks = createLocks(
      redisBackend(fromIoredis(client), { replicas: count, ...(count > 0 && { acknowledgeMs: 2_000 }) }),
    );
    return { count, locks, acquires: [], medians: [] };
  });
  for (let round = 0; round < ROUNDS; round++) {
    for (const subject of subjects) {
      const took = [];
      for (let pair = 0; pair < PAIRS; pair++) {
        const askedAt = performance.now();
        const lease = await subject.locks.lock(`price:${subject.count}`).acquire();
        took.push(performance.now() - askedAt);
        await lease.release();
      }
      subject.medians.push(quantile(took, 0.5));
      subject.acquires.push(...took);
    }
  }
  console.log(`${ROUNDS} rounds of ${PAIRS} pairs each\n`);
  console.log('| replicas that must acknowledge | acquire, median of the rounds (least-most), ms | p99, ms | ratio |');
  console.log('| --- | --- | --- | --- |');
  const base = quantile(subjects[0].medians, 0.5);
  for (const { count, medians, acquires } of subjects) {
    const middle = quantile(medians, 0.5);
    const range = `${Math.min(...medians).toFixed(2)}-${Math.max(...medians).toFixed(2)}`;
    const ratio = (middle / base).toFixed(1);
    console.log(`| ${count} | ${middle.toFixed(2)} (${range}) | ${quantile(acquires, 0.99).toFixed(1)} | ${ratio} |`);
  }
  for (const { locks } of subjects) await locks.close();
} finally {
  for (const client of clients) client.disconnect();
  for (const { admin, child } of servers) {
    admin.disconnect();
    child.kill('SIGKILL');
  }
  rmSync(folder, { recursive: true, force: true });
}

async function start(primaryPort) {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
  args.push('--repl-diskless-sync-delay', '0', '--dbfilename', `${port}.rdb`);
  if (primaryPort !== undefined) args.push('--replicaof', '127.0.0.1', String(primaryPort));
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  const admin = new Redis(port, '127.0.0.1').on('error', () => {});
  servers.push({ admin, child });
  await until(async () => (await admin.ping().catch(() => '')) === 'PONG');
  return { port, admin };
}

async function until(condition) {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function quantile(list, share) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length * share)];
}
