/**
 * The subjects of the held locks: a process that has very many, and keeps them.
 *
 * @module
 */
import { createLocks } from 'holdfast';
import { fromIoredis, redisBackend } from 'holdfast/redis';
import { Redis } from 'ioredis';
import { RawLocks } from './raw-lock.ts';

export interface HeldSubject {
  /** Takes the lock of this index, and keeps it until the returned function is called. */
  hold(index: number): Promise<Held>;
}

export interface Held {
  /** Throws if it is not held any more. */
  check(): void;
  release(): Promise<void>;
}

export type HeldSubjectId = 'holdfast' | 'raw';

interface HeldSubjectKind {
  /** Which commands it sends: what scripts do inside the server is counted apart. */
  readonly sends: readonly string[];
  open(url: string, ttlMs: number): Promise<HeldSubject>;
}

export const HELD_SUBJECTS: Readonly<Record<HeldSubjectId, HeldSubjectKind>> = {
  holdfast: { sends: ['evalsha', 'eval'], open: openHoldfast },
  raw: { sends: ['evalsha'], open: openRaw },
};

async function openHoldfast(url: string, ttlMs: number): Promise<HeldSubject> {
  const locks = createLocks(redisBackend(fromIoredis(new Redis(url))), { ttlMs });
  return {
    async hold(index) {
      const lease = await locks.lock(`held:${index}`).acquire();
      return { check: () => lease.assertHeld(), release: () => lease.release() };
    },
  };
}

/** A watchdog as people write it by hand: each lock has its own timer, and each renewal is a call of its own. */
async function openRaw(url: string, ttlMs: number): Promise<HeldSubject> {
  const locks = await RawLocks.open(new Redis(url), ttlMs);
  return {
    async hold(index) {
      const key = `raw:held:${index}`;
      const owner = await locks.acquire(key);
      let failure: unknown;
      const timer = setInterval(() => {
        locks.extend(key, owner).catch((error: unknown) => {
          failure = error;
        });
      }, ttlMs / 3);
      return {
        check() {
          if (failure !== undefined) throw failure;
        },
        async release() {
          clearInterval(timer);
          await locks.release(key, owner);
        },
      };
    },
  };
}
