import { fromIoredis } from 'holdfast/redis';
import { redlockBackend } from 'holdfast/redlock';
import { Redis } from 'ioredis';
import { keptByHand, type LockByHand } from '../held-subjects.ts';
import { RawLocks } from '../raw-lock.ts';
import { ofBackend } from './ours.ts';
import { type SubjectKind, TTL_MS } from './subject.ts';

/** The same commands to all servers at once, and all answers awaited. Nothing there passes a lock on. */
export const redlock: SubjectKind = {
  ours: async ({ url, ttlMs }) => ofBackend(redlockBackend(clientsOf(url).map(fromIoredis)), ttlMs),
  async raw({ url, ttlMs }) {
    const clients = clientsOf(url);
    const [pairs, held] = [await onAll(clients, TTL_MS), await onAll(clients, ttlMs)];
    return {
      async pair(index) {
        const key = `raw:pair:${index}`;
        await pairs.release(key, await pairs.acquire(key));
      },
      hold: (index) => keptByHand(held, `raw:held:${index}`, ttlMs / 3),
    };
  },
};

function clientsOf(url: string): readonly Redis[] {
  const addresses = url.replace('redlock://', '').split(',');
  return addresses.map((address) => new Redis(`redis://${address}`));
}

async function onAll(clients: readonly Redis[], ttlMs: number): Promise<LockByHand<readonly string[]>> {
  const servers = await Promise.all(clients.map((client) => RawLocks.open(client, ttlMs)));
  return {
    acquire: (key) => Promise.all(servers.map((server) => server.acquire(key))),
    extend: (key, owners) => Promise.all(servers.map((server, at) => server.extend(key, owners[at] as string))),
    release: (key, owners) => Promise.all(servers.map((server, at) => server.release(key, owners[at] as string))),
  };
}
