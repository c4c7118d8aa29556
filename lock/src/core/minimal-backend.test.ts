import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../backends/memory/index.ts';
import { ManualClock, TestBackend } from '../testing/index.ts';
import type { Backend } from './backend.ts';
import { createLocks } from './lock.ts';

/** The least that a backend can be: one atomic try, one release that checks the owner, and close. */
function minimalBackend(whole: TestBackend): Backend & { tries: number } {
  return {
    id: 'minimal',
    guarantee: whole.guarantee,
    tries: 0,
    tryAcquire(request) {
      this.tries++;
      return whole.tryAcquire(request);
    },
    release: (hold) => whole.release(hold),
    close: () => whole.close(),
  };
}

function setUp() {
  const clock = new ManualClock();
  const backend = minimalBackend(new TestBackend(new MemoryStore(), clock));
  return { clock, backend, lock: createLocks(backend, { ttlMs: 3_000, clock }).lock('a') };
}

describe('a backend without a queue, renewal or notices', () => {
  it('is asked again, with jitter and a limit, until the lock is free', async () => {
    const { clock, backend, lock } = setUp();
    const lease = await lock.acquire();
    const rivals = createLocks(backend, { ttlMs: 3_000, clock });
    let got = false;
    void rivals
      .lock('a')
      .acquire()
      .then(() => {
        got = true;
      });
    await clock.advance(2_000);
    expect(got).toBe(false);
    expect(backend.tries).toBeGreaterThan(8);
    expect(backend.tries).toBeLessThan(40);
    await lease.release();
    await clock.advance(300);
    expect(got).toBe(true);
  });

  it('holds for one TTL, since nobody renews, and cannot confirm', async () => {
    const { clock, lock } = setUp();
    const lease = await lock.acquire();
    await expect(lease.confirm()).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    await clock.advance(3_000);
    expect(lease.state).toBe('lost');
  });

  it('leaves nothing behind when a wait is over', async () => {
    const { clock, lock, backend } = setUp();
    const lease = await lock.acquire();
    const rival = createLocks(backend, { ttlMs: 3_000, clock }).lock('a').acquire({ waitMs: 200 });
    const code = rival.catch((error) => error.code);
    await clock.advance(201);
    expect(await code).toBe('BUSY');
    await lease.release();
    await clock.advance(1_000);
    expect(clock.timers).toBe(0);
  });
});
