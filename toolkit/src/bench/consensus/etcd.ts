/**
 * etcd: Holdfast beside the bare transactions, etcd's own lock service, `etcdctl lock`, and `etcd3` from npm where
 * somebody has installed it for the purpose.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createLocks, type Lock } from 'holdfast';
import { etcdBackend } from 'holdfast/etcd';
import { openEtcdCalls, openLockService, soon } from './own-clients.ts';
import type { Counts, LineId, PairSubject, System } from './system.ts';

/** Nobody renews the leases of what we compare with. */
const LEASE_S = 3_600;

const LANES = 64;

/** As long as what a contender of ours writes. */
const VALUE = JSON.stringify({ owner: 'a-host:1234:0123456789:12', host: 'a-host', pid: 1234, ttlMs: 60_000 });

/** `npm ci --prefix peers` brings it: it would be 37 packages in everybody's way. */
const PEERS = fileURLToPath(new URL('../../../../peers/package.json', import.meta.url));

export function etcdSystem(address: string): System {
  const endpoints = [`http://${address}`];
  const opened: Record<string, () => Promise<PairSubject>> = {
    'bare put + delete': () => openBare(address),
    holdfast: () => openHoldfast(endpoints),
    'lock service': () => openService(address),
    'etcdctl lock': () => openEtcdctl(address),
    ...(existsSync(new URL('./node_modules/etcd3', `file://${PEERS}`))
      ? { 'npm etcd3': () => openEtcd3(address) }
      : {}),
  };
  return {
    kind: 'etcd',
    pairIds: Object.keys(opened),
    lineIds: ['holdfast', 'lock service'],
    backend: () => etcdBackend({ endpoints }),
    openPairs: (id) => (opened[id] as () => Promise<PairSubject>)(),
    openLine: (id, name, waiters) => openLine(id, { address, endpoints, name, waiters }),
    inLine: (name) => keysBelow(address, name),
    counts: () => countsOf(address),
  };
}

async function openBare(address: string): Promise<PairSubject> {
  const client = await openEtcdCalls([address]);
  const { id: lease } = await client.grant(LEASE_S, soon());
  return {
    isConcurrent: true,
    async pair(lane) {
      const key = `bare/${lane}`;
      const put = [{ put: { key, value: VALUE, lease } }];
      const absent = [{ key, createRevision: 0n }];
      const { revision } = await client.transaction('a put', { compare: absent, success: put, failure: [] }, soon());
      const same = [{ key, createRevision: revision }];
      await client.transaction('a delete', { compare: same, success: [{ delete: { key } }], failure: [] }, soon());
    },
    close: async () => client.close(),
  };
}

async function openHoldfast(endpoints: readonly string[]): Promise<PairSubject> {
  const locks = createLocks(etcdBackend({ endpoints }), { ttlMs: 60_000 });
  const lanes = Array.from({ length: LANES }, (_, lane) => locks.lock(`ours-${lane}`));
  return {
    isConcurrent: true,
    pair: async (lane) => (await (lanes[lane] as Lock).acquire()).release(),
    close: () => locks.close(),
  };
}

async function openService(address: string): Promise<PairSubject> {
  const [client, service] = [await openEtcdCalls([address]), await openLockService([address])];
  // The service knows an owner by its lease alone.
  const grants = await Promise.all(Array.from({ length: LANES }, () => client.grant(LEASE_S, soon())));
  const leases = grants.map(({ id }) => id);
  return {
    isConcurrent: true,
    pair: async (lane) => service.unlock(await service.lock(`service-${lane}`, leases[lane] as bigint)),
    async close() {
      service.close();
      client.close();
    },
  };
}

/** A process for each lock: what it costs is mostly that. */
async function openEtcdctl(address: string): Promise<PairSubject> {
  const env = { PATH: process.env.PATH, ETCDCTL_API: '3' };
  return {
    isConcurrent: false,
    pair: () => promisify(execFile)('etcdctl', ['--endpoints', address, 'lock', 'etcdctl-lock', '--', 'true'], { env }),
    close: async () => undefined,
  };
}

async function openEtcd3(address: string): Promise<PairSubject> {
  const { Etcd3 } = createRequire(PEERS)('etcd3');
  const client = new Etcd3({ hosts: address });
  return {
    isConcurrent: true,
    pair: async (lane) => (await client.lock(`etcd3-${lane}`).ttl(60).acquire()).release(),
    close: async () => client.close(),
  };
}

async function openLine(
  id: LineId,
  {
    address,
    endpoints,
    name,
    waiters,
  }: { address: string; endpoints: readonly string[]; name: string; waiters: number },
): ReturnType<System['openLine']> {
  if (id === 'holdfast') {
    const locks = createLocks(etcdBackend({ endpoints }), { ttlMs: 120_000, waitMs: 120_000 });
    const contend = async () => {
      const lease = await locks.lock(name).acquire();
      return () => lease.release();
    };
    return { contenders: Array.from({ length: waiters }, () => contend), close: () => locks.close() };
  }
  const [client, service] = [await openEtcdCalls([address]), await openLockService([address])];
  const contenders = Array.from({ length: waiters }, async () => {
    const { id: lease } = await client.grant(LEASE_S, soon());
    return async () => {
      const key = await service.lock(name, lease);
      return () => service.unlock(key);
    };
  });
  return {
    contenders: await Promise.all(contenders),
    async close() {
      service.close();
      client.close();
    },
  };
}

/** How many contend for a lock of etcd's own layout, the holder included. */
export async function keysBelow(address: string, name: string): Promise<number> {
  const [key, end] = [`${name}/`, `${name}0`].map((text) => Buffer.from(text).toString('base64'));
  const body = JSON.stringify({ key, range_end: end, count_only: true });
  const answer = await fetch(`http://${address}/v3/kv/range`, { method: 'POST', body });
  return Number(((await answer.json()) as { count?: string }).count ?? 0);
}

async function countsOf(address: string): Promise<Counts> {
  const text = await (await fetch(`http://${address}/metrics`)).text();
  let [calls, watchMessages] = [0, 0];
  for (const [, method, count] of text.matchAll(/^grpc_server_msg_received_total\{grpc_method="(\w+)",.*\} (\S+)$/gm)) {
    if (method === 'Watch') watchMessages += Number(count);
    else calls += Number(count);
  }
  const renewals = Number(/^etcd_debugging_lease_renewed_total (\S+)$/m.exec(text)?.[1] ?? 0);
  return { calls, watchMessages, renewals };
}
