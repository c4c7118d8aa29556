/**
 * The subjects of the pairs: each acquires a lock that nobody else wants, and releases it.
 *
 * @module
 */
import { createLocks, type Locks } from 'holdfast';
import { memoryBackend } from 'holdfast/memory';
import { fromIoredis, redisBackend } from 'holdfast/redis';
import { Redis } from 'ioredis';
import { RawLocks } from './raw-lock.ts';

const TTL_MS = 30_000;

export interface PairSubject {
  /** Acquires the lock of this index, and releases it. */
  pair(index: number): Promise<void>;
}

export type PairSubjectId =
  | 'acquire'
  | 'tryAcquire'
  | 'raw'
  | 'raw-auto-pipelining'
  | 'core-acquire'
  | 'core-tryAcquire';

interface PairSubjectKind {
  /** Which commands it sends: what scripts do inside the server is counted apart. */
  readonly sends: readonly string[];
  open(url: string): Promise<PairSubject>;
}

export const PAIR_SUBJECTS: Readonly<Record<PairSubjectId, PairSubjectKind>> = {
  acquire: { sends: ['evalsha', 'eval'], open: async (url) => acquireAndRelease(onRedis(url)) },
  tryAcquire: { sends: ['evalsha', 'eval'], open: async (url) => tryAcquireAndRelease(onRedis(url)) },
  raw: { sends: ['set', 'evalsha'], open: async (url) => setAndDelete(await RawLocks.open(new Redis(url), TTL_MS)) },
  'raw-auto-pipelining': {
    sends: ['set', 'evalsha'],
    open: async (url) => setAndDelete(await RawLocks.open(new Redis(url, { enableAutoPipelining: true }), TTL_MS)),
  },
  'core-acquire': { sends: [], open: async () => acquireAndRelease(createLocks(memoryBackend(), { ttlMs: TTL_MS })) },
  'core-tryAcquire': {
    sends: [],
    open: async () => tryAcquireAndRelease(createLocks(memoryBackend(), { ttlMs: TTL_MS })),
  },
};

function onRedis(url: string): Locks {
  return createLocks(redisBackend(fromIoredis(new Redis(url))), { ttlMs: TTL_MS });
}

function acquireAndRelease(locks: Locks): PairSubject {
  return {
    async pair(index) {
      const lease = await locks.lock(`pair:${index}`).acquire();
      await lease.release();
    },
  };
}

function tryAcquireAndRelease(locks: Locks): PairSubject {
  return {
    async pair(index) {
      const lease = await locks.lock(`pair:${index}`).tryAcquire();
      if (lease === null) throw new Error('The lock is taken, and nobody else should want it.');
      await lease.release();
    },
  };
}

function setAndDelete(locks: RawLocks): PairSubject {
  return {
    async pair(index) {
      const key = `raw:pair:${index}`;
      await locks.release(key, await locks.acquire(key));
    },
  };
}
