import { type FencedLease, type Lease, LeaseLostError, LockBusyError, type Locks } from 'holdfast';
import type { Guarantee } from '../result.ts';
import type { SubjectHold, SubjectSession } from '../subject.ts';

/** What our own backends have in common as subjects: nothing here knows how they hold the lock. */
export function sessionOf(
  locks: Locks<FencedLease> | Locks<Lease>,
  closeClient: () => Promise<void>,
  guarantee: Guarantee,
): SubjectSession {
  return {
    guarantee,
    async acquire(name, { ttlMs, waitMs }) {
      const lock = locks.lock(name, { ttlMs });
      if (waitMs === 0) return holdOf(await lock.tryAcquire());
      try {
        return holdOf(await lock.acquire({ waitMs }));
      } catch (error) {
        if (error instanceof LockBusyError) return null;
        throw error;
      }
    },
    async close() {
      await locks.close();
      await closeClient();
    },
  };
}

function holdOf(lease: FencedLease | Lease | null): SubjectHold | null {
  if (lease === null) return null;
  return {
    ...('fencingToken' in lease && lease.fencingToken !== undefined
      ? { fencingToken: String(lease.fencingToken) }
      : {}),
    believes: () => lease.remainingMs > 0,
    async release() {
      try {
        await lease.release();
      } catch (error) {
        // A lease that was lost has nothing to give back.
        if (!(error instanceof LeaseLostError)) throw error;
      }
    },
  };
}
