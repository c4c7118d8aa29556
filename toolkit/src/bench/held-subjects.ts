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

async function openRaw(url: string, ttlMs: number): Promise<HeldSubject> {
  const locks = await RawLocks.open(new Redis(url), ttlMs);
  return { hold: (index) => keptByHand(locks, `raw:held:${index}`, ttlMs / 3) };
}

/** How many are asked for, or given back, before the first of them is answered. */
const TOGETHER = 50;

/** Takes locks 0 to `count`, a group at a time. */
export async function takeMany(count: number, hold: HeldSubject['hold']): Promise<readonly Held[]> {
  const held: Held[] = [];
  while (held.length < count) {
    const group = Array.from({ length: Math.min(TOGETHER, count - held.length) }, (_, at) => hold(held.length + at));
    held.push(...(await Promise.all(group)));
  }
  return held;
}

/** Gives all of them back, a group at a time. */
export async function giveMany(held: readonly Held[]): Promise<void> {
  for (let at = 0; at < held.length; at += TOGETHER) {
    await Promise.all(held.slice(at, at + TOGETHER).map((one) => one.release()));
  }
}

/** The three steps of a lock by hand. */
export interface LockByHand<Owner> {
  acquire(key: string): Promise<Owner>;
  extend(key: string, owner: Owner): Promise<unknown>;
  release(key: string, owner: Owner): Promise<unknown>;
}

/** A watchdog as people write it by hand: each lock has its own timer, and each renewal is a call of its own. */
export async function keptByHand<Owner>(locks: LockByHand<Owner>, key: string, everyMs: number): Promise<Held> {
  const owner = await locks.acquire(key);
  let failure: unknown;
  const timer = setInterval(() => {
    locks.extend(key, owner).catch((error: unknown) => {
      failure = error;
    });
  }, everyMs);
  return {
    check() {
      if (failure !== undefined) throw failure;
    },
    async release() {
      clearInterval(timer);
      await locks.release(key, owner);
    },
  };
}
