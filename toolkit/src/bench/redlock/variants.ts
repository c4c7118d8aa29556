/**
 * What is compared: one Redis by hand, one Redis with ours, five with ours, and what others offer for five.
 *
 * @module
 */
import { createLocks } from 'holdfast';
import { fromIoredis, redisBackend } from 'holdfast/redis';
import { redlockBackend } from 'holdfast/redlock';
import { Redis } from 'ioredis';
import { checkHold } from '../../lab/subjects/contract.ts';
import { loadSubject } from '../../lab/subjects/load-subject.ts';
import { RawLocks } from '../raw-lock.ts';

const TTL_MS = 30_000;

/** One who acquires a lock that nobody else wants, and releases it. */
export interface Variant {
  readonly name: string;
  pair(): Promise<unknown>;
  close(): Promise<void>;
}

const BARE = 'one server, SET NX PX by hand';
const ONE = 'one server, holdfast/redis';
export const FIVE = 'five servers, holdfast/redlock';

/** `peers`: files of subjects of the lab, which bring clients of their own. */
export async function openVariants(ports: readonly number[], peers: readonly string[]): Promise<readonly Variant[]> {
  const url = `redlock://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
  const theirs = await Promise.all(peers.map((file) => peer(file, url)));
  return [...(await openOurs(ports)), ...theirs];
}

/** Without those of others. */
export async function openOurs(ports: readonly number[]): Promise<readonly Variant[]> {
  return [await bare(ports[0]), one(ports[0]), five(ports)];
}

/** With a client for each server, as the one of one server is. */
export function five(ports: readonly number[]): Variant {
  const clients = ports.map((port) => quiet(new Redis({ port })));
  const locks = createLocks(redlockBackend(clients.map(fromIoredis)), { ttlMs: TTL_MS });
  const lock = locks.lock('pair:five');
  return {
    name: FIVE,
    pair: async () => (await lock.acquire()).release(),
    async close() {
      await locks.close();
      for (const client of clients) client.disconnect();
    },
  };
}

async function bare(port: number | undefined): Promise<Variant> {
  const client = quiet(new Redis({ port: port as number }));
  const locks = await RawLocks.open(client, TTL_MS);
  return {
    name: BARE,
    pair: async () => locks.release('pair:bare', await locks.acquire('pair:bare')),
    close: async () => client.disconnect(),
  };
}

function one(port: number | undefined): Variant {
  const client = quiet(new Redis({ port: port as number }));
  const locks = createLocks(redisBackend(fromIoredis(client)), { ttlMs: TTL_MS });
  const lock = locks.lock('pair:one');
  return {
    name: ONE,
    pair: async () => (await lock.acquire()).release(),
    async close() {
      await locks.close();
      client.disconnect();
    },
  };
}

async function peer(file: string, url: string): Promise<Variant> {
  const subject = await loadSubject(file);
  const session = await subject.open({ url });
  return {
    name: `five servers, ${subject.name}`,
    async pair() {
      const hold = checkHold(await session.acquire('pair:peer', { ttlMs: TTL_MS, waitMs: 0 }));
      if (hold === null) throw new Error(`${subject.name} could not take a lock that nobody holds.`);
      await hold.release();
    },
    close: () => session.close(),
  };
}

/** What fails is seen in the call that fails. */
function quiet(client: Redis): Redis {
  return client.on('error', () => {});
}
