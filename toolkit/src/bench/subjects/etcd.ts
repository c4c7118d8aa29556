import { etcdBackend } from 'holdfast/etcd';
import { keysBelow } from '../consensus/etcd.ts';
import { type EtcdCalls, openEtcdCalls, openLockService, soon } from '../consensus/own-clients.ts';
import { keptByHand, type LockByHand } from '../held-subjects.ts';
import { ofBackend } from './ours.ts';
import { openEach, type SubjectKind } from './subject.ts';

/** Nobody renews the leases of pairs and of lines by hand. */
const LEASE_S = 3_600;

/** As long as what a contender of ours writes. */
const VALUE = JSON.stringify({ owner: 'a-host:1234:0123456789:12', host: 'a-host', pid: 1234, ttlMs: 60_000 });

/**
 * A put and a delete that compare the revision, under one lease, and one keep-alive for all; a line is that of etcd's own
 * lock service.
 */
export const etcd: SubjectKind = {
  async ours({ url, ttlMs }) {
    return ofBackend(etcdBackend({ endpoints: addressesOf(url).map((address) => `http://${address}`) }), ttlMs);
  },
  async raw({ url, ttlMs }) {
    const addresses = addressesOf(url);
    const client = await openEtcdCalls(addresses);
    const { id: forPairs } = await client.grant(LEASE_S, soon());
    const pairs = byHand(client, forPairs);
    let shared: Promise<LockByHand<bigint>> | undefined;
    return {
      pair: async (index) => pairs.release(`raw-pair/${index}`, await pairs.acquire(`raw-pair/${index}`)),
      async line(name, waiters) {
        const service = await openLockService(addresses);
        // The service knows an owner by its lease alone.
        const leases = await openEach(waiters, () => client.grant(LEASE_S, soon()));
        return leases.map(({ id }) => async () => {
          const key = await service.lock(name, id);
          return () => service.unlock(key);
        });
      },
      inLine: async (name) => (await keysBelow(addresses[0] as string, name)) - 1,
      async hold(index) {
        shared ??= keptAlive(client, ttlMs);
        return keptByHand(await shared, `raw-held/${index}`, ttlMs);
      },
    };
  },
};

function byHand(client: EtcdCalls, lease: bigint): LockByHand<bigint> {
  return {
    async acquire(key) {
      const put = [{ put: { key, value: VALUE, lease } }];
      const absent = [{ key, createRevision: 0n }];
      const asked = { compare: absent, success: put, failure: [] };
      const { succeeded, revision } = await client.transaction('a put', asked, soon());
      if (!succeeded) throw new Error(`The key ${key} is taken, and nobody else should want it.`);
      return revision;
    },
    extend: async () => undefined, // the lease is kept alive for all
    async release(key, revision) {
      const same = [{ key, createRevision: revision }];
      await client.transaction('a delete', { compare: same, success: [{ delete: { key } }], failure: [] }, soon());
    },
  };
}

/** Locks under one lease, which is kept alive as long as this process lives. */
async function keptAlive(client: EtcdCalls, ttlMs: number): Promise<LockByHand<bigint>> {
  const { id } = await client.grant(Math.ceil(ttlMs / 1_000), soon());
  setInterval(() => {
    client.keepAlive(id, soon()).catch(() => undefined); // a lease that has ended shows in the release
  }, ttlMs / 3);
  return byHand(client, id);
}

function addressesOf(url: string): readonly string[] {
  return url.replace('etcd://', '').split(',');
}
