/**
 * The subjects of the hand-over: one lock, for which many wait.
 *
 * @module
 */
import { createLocks } from 'holdfast';
import { fromIoredis, redisBackend } from 'holdfast/redis';
import { Redis } from 'ioredis';
import { readServer } from './server-figures.ts';

/** Longer than any round, so that a wait that ends by its time is a failure. */
const WAIT_MS = 60_000;

export interface HeldNow {
  /** Grows from grant to grant. */
  readonly number: number;
  release(): Promise<void>;
}

export interface ContendedLock {
  /** Waits until this contender of the process has the lock. */
  acquire(contender: number): Promise<HeldNow>;
  /** Before a round: nobody has the lock, and it can be had. */
  makeFree(): Promise<void>;
  /** How many stand in line at the server. */
  waiting(): Promise<number>;
  close(): Promise<void>;
}

interface ContendedSubject {
  /** What its clients send to the server. */
  readonly sends: readonly string[];
  /** What stands in line at the server: a process for all of its waiters, or each waiter. */
  readonly standsInLine: 'process' | 'waiter';
  open(url: string, name: string, contenders: number): Promise<ContendedLock>;
}

export type ContendedSubjectId = 'holdfast' | 'token-list';

export const CONTENDED_SUBJECTS: Readonly<Record<ContendedSubjectId, ContendedSubject>> = {
  holdfast: { sends: ['evalsha', 'eval'], standsInLine: 'process', open: openHoldfast },
  'token-list': { sends: ['blpop', 'lpush'], standsInLine: 'waiter', open: openTokenList },
};

async function openHoldfast(url: string, name: string): Promise<ContendedLock> {
  const redis = new Redis(url);
  const backend = redisBackend(fromIoredis(redis));
  const locks = createLocks(backend, { waitMs: WAIT_MS });
  return {
    async acquire() {
      const lease = await locks.lock(name).acquire();
      return { number: Number(lease.fencingToken), release: () => lease.release() };
    },
    async makeFree() {},
    async waiting() {
      return (await backend.inspect(name)).waiters.length;
    },
    async close() {
      await locks.close();
      redis.disconnect();
    },
  };
}

/**
 * The fastest hand-over that Redis itself offers: who has the token from the list has the lock, and gives it back by a
 * push, which the server passes to the first that is blocked in a pop. Nothing happens if the holder dies: the token is
 * gone, and so is the lock.
 */
async function openTokenList(url: string, name: string, contenders: number): Promise<ContendedLock> {
  const list = `token-list:${name}`;
  // A pop that waits blocks its connection, so each waiter needs one of its own.
  const connections = Array.from({ length: contenders }, () => new Redis(url));
  await Promise.all(connections.map((connection) => connection.ping()));
  return {
    async acquire(contender) {
      const connection = connections[contender] as Redis;
      const popped = await connection.blpop(list, WAIT_MS / 1000);
      if (popped === null) throw new Error(`The token of ${name} did not come within ${WAIT_MS} ms.`);
      const number = Number(popped[1]);
      return {
        number,
        async release() {
          await connection.lpush(list, String(number + 1));
        },
      };
    },
    async makeFree() {
      await connections[0]?.multi().del(list).lpush(list, '1').exec();
    },
    async waiting() {
      return (await readServer(connections[0] as Redis)).blockedClients;
    },
    async close() {
      for (const connection of connections) connection.disconnect();
    },
  };
}
