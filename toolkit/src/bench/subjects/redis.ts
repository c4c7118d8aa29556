import { fromIoredis, redisBackend } from 'holdfast/redis';
import { Redis } from 'ioredis';
import { CONTENDED_SUBJECTS } from '../contended-locks.ts';
import { keptByHand } from '../held-subjects.ts';
import { RawLocks } from '../raw-lock.ts';
import { readServer } from '../server-figures.ts';
import { ofBackend } from './ours.ts';
import { type SubjectKind, TTL_MS } from './subject.ts';

/** `SET NX PX` and a compare-and-delete; a line is a token in a list, for which each waits in BLPOP. */
export const redis: SubjectKind = {
  ours: async ({ url, ttlMs }) => ofBackend(redisBackend(fromIoredis(new Redis(url))), ttlMs),
  async raw({ url, ttlMs }) {
    const client = new Redis(url);
    const [pairs, held] = [await RawLocks.open(client, TTL_MS), await RawLocks.open(client, ttlMs)];
    return {
      async pair(index) {
        const key = `raw:pair:${index}`;
        await pairs.release(key, await pairs.acquire(key));
      },
      async line(name, waiters) {
        const list = await CONTENDED_SUBJECTS['token-list'].open(url, name, waiters);
        // One of all processes puts the token in.
        if ((await client.set(`token-of:${name}`, 'made', 'NX')) === 'OK') await list.makeFree();
        return Array.from({ length: waiters }, (_, waiter) => async () => {
          const { release } = await list.acquire(waiter);
          return release;
        });
      },
      inLine: async () => (await readServer(client)).blockedClients,
      hold: (index) => keptByHand(held, `raw:held:${index}`, ttlMs / 3),
    };
  },
};
