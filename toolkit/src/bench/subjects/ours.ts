import { type Backend, createLocks, Instant, inspects, queues, systemClock } from 'holdfast';
import { type BenchSubject, TTL_MS, WAIT_MS } from './subject.ts';

/** What one look at a line may take. */
const LOOK_MS = 10_000;

/** Our own lock on any backend, as its users have it: one `Locks` object in a process. */
export function ofBackend(backend: Backend, heldTtlMs: number): BenchSubject {
  const locks = createLocks(backend, { ttlMs: TTL_MS });
  return {
    pair: async (index) => (await locks.lock(`pair:${index}`).acquire()).release(),
    async line(name, waiters) {
      return Array.from({ length: waiters }, () => async () => {
        const lease = await locks.lock(name).acquire({ waitMs: WAIT_MS });
        return () => lease.release();
      });
    },
    async hold(index) {
      const lease = await locks.lock(`held:${index}`, { ttlMs: heldTtlMs }).acquire({ waitMs: WAIT_MS });
      return { check: () => lease.assertHeld(), release: () => lease.release() };
    },
    ...(queues(backend) && inspects(backend)
      ? {
          async inLine(name) {
            const until = Instant.plus(systemClock.now(), LOOK_MS);
            return (await backend.inspect(name, until)).waiters.length;
          },
        }
      : {}),
  };
}
