import {
  type Backend,
  createLocks,
  type FencedLease,
  type Inspects,
  inspects,
  type Lease,
  LeaseLostError,
  LockBusyError,
} from 'holdfast';
import { withDeadline } from '../../connect/deadline.ts';
import type { SubjectHold, SubjectSession } from '../subject.ts';

/** How long a look at who waits may take. */
const LOOK_LIMIT_MS = 5_000;

/** What our own backends have in common as subjects: nothing here knows how they hold the lock. */
export function sessionOf(backend: Backend, closeClient: () => Promise<void>): SubjectSession {
  const locks = createLocks(backend);
  return {
    guarantee: backend.guarantee,
    ...(keepsOrder(backend) ? { waiting: async (name: string) => (await look(backend, name)).waiters.length } : {}),
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

function keepsOrder(backend: Backend): backend is Backend & Inspects {
  return backend.guarantee.fairness !== 'none' && inspects(backend);
}

function look(backend: Inspects, name: string): ReturnType<Inspects['inspect']> {
  return withDeadline('who waits for the lock', LOOK_LIMIT_MS, (deadline) => backend.inspect(name, deadline));
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
