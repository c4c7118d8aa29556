import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../backends/memory/index.ts';
import { ManualClock, TestBackend } from '../testing/index.ts';
import type { LockError } from './errors.ts';
import type { FencedLease } from './lease.ts';
import { createLocks } from './lock.ts';

function setUp() {
  const clock = new ManualClock();
  const backend = new TestBackend(new MemoryStore(), clock);
  const locks = createLocks(backend, { ttlMs: 3_000, clock });
  return { clock, backend, locks, lock: locks.lock('order:1') };
}

/** A promise that a test opens. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('a nested run', () => {
  it('enters at once with the same owner and token', async () => {
    const { lock } = setUp();
    await lock.run(async (outer) => {
      await lock.run(async (inner) => {
        expect(inner.fencingToken).toBe(outer.fencingToken);
        expect(inner.owner).toBe(outer.owner);
        await inner.release();
        inner.assertHeld();
      });
      outer.assertHeld();
    });
  });

  it('has one signal with all others of the same outermost run, so that a million of them leave nothing behind', async () => {
    const { lock, backend } = setUp();
    const signals = new Set<AbortSignal>();
    await lock.run(async () => {
      for (let round = 0; round < 3; round++) await lock.run((lease) => signals.add(lease.signal));
      await lock.run(() => lock.run((lease) => signals.add(lease.signal)));
      expect([...signals].map(({ aborted }) => aborted)).toEqual([false]);
    });
    expect([...signals][0]?.reason).toMatchObject({ code: 'LOST', reason: 'released' });
    const lost = lock.run(() =>
      lock.run(({ signal }) => {
        backend.loseLease('order:1');
        expect(signal.reason).toMatchObject({ code: 'LOST' });
      }),
    );
    await expect(lost).rejects.toMatchObject({ code: 'LOST' });
  });

  it('enters through another Lock object of the same name, and through frames of other locks', async () => {
    const { lock, locks } = setUp();
    await lock.run(() => locks.lock('other').run(() => locks.lock('order:1').run((lease) => lease.assertHeld())));
  });

  it('does not count on another Locks object: there it is a stranger', async () => {
    const { lock, clock, backend } = setUp();
    const others = createLocks(backend, { ttlMs: 3_000, clock });
    await lock.run(async () => {
      await expect(others.lock('order:1').run(() => 1, { waitMs: 0 })).rejects.toMatchObject({ code: 'BUSY' });
    });
  });

  it('excludes its siblings, in the order in which they came', async () => {
    const { lock } = setUp();
    const order: string[] = [];
    await lock.run(async () => {
      await Promise.all(
        ['a', 'b', 'c'].map((id) =>
          lock.run(async () => {
            order.push(`${id} in`);
            await Promise.resolve();
            order.push(`${id} out`);
          }),
        ),
      );
    });
    expect(order).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
  });

  it('nests to any depth while siblings wait', async () => {
    const { lock } = setUp();
    let depth = 0;
    const dive = async (left: number): Promise<void> => {
      depth++;
      if (left > 0) await lock.run(() => dive(left - 1));
    };
    await lock.run(() => Promise.all([dive(20), dive(20)]));
    expect(depth).toBe(42);
  });

  it('waits for a sibling no longer than waitMs', async () => {
    const { lock, clock } = setUp();
    const hold = gate();
    const run = lock.run(async () => {
      const sibling = lock.run(() => hold.opened);
      const late = lock.run(() => 1, { waitMs: 100 }).catch((error: LockError) => error.code);
      await clock.advance(101);
      expect(await late).toBe('BUSY');
      hold.open();
      await sibling;
    });
    await run;
  });

  it('shows its error, and lets the next sibling in', async () => {
    const { lock } = setUp();
    await lock.run(async () => {
      const failed = lock.run(() => Promise.reject(new Error('inner')));
      const next = lock.run(() => 'next');
      await expect(failed).rejects.toThrow('inner');
      expect(await next).toBe('next');
    });
  });
});

describe('a bare acquire in the body of a run of the same lock', () => {
  it('rejects at once, and a try gives null', async () => {
    const { lock } = setUp();
    await lock.run(async () => {
      await expect(lock.acquire()).rejects.toMatchObject({ code: 'SELF_DEADLOCK' });
      expect(await lock.tryAcquire()).toBeNull();
    });
  });
});

describe('what outlives the outermost body', () => {
  it('is rejected if it still queues', async () => {
    const { lock, clock } = setUp();
    const hold = gate();
    let queued: Promise<unknown> = Promise.resolve();
    let running: Promise<unknown> = Promise.resolve();
    await lock.run(async () => {
      running = lock.run(() => hold.opened);
      queued = lock.run(() => 1).catch((error: LockError) => error.code);
      await clock.advance(1);
    });
    expect(await queued).toBe('FRAME_ENDED');
    hold.open();
    await running;
  });

  it('gets its signal if it still runs, and then the lock is given back', async () => {
    const { lock, clock, backend } = setUp();
    const hold = gate();
    let inner: FencedLease | undefined;
    let running: Promise<unknown> = Promise.resolve();
    await lock.run(async (outer) => {
      running = lock.run((lease) => {
        inner = lease;
        return hold.opened;
      });
      await clock.advance(1);
      expect(outer.signal.aborted).toBe(false);
    });
    expect(inner?.signal.aborted).toBe(true);
    expect(() => inner?.assertHeld()).toThrow(/outermost body ended/);
    expect(await backend.inspect('order:1')).toMatchObject({ holder: null });
    hold.open();
    await running;
  });

  it('is a stranger if it starts afterwards: a timer that was set inside waits like anyone', async () => {
    const { lock, clock, backend } = setUp();
    const later = gate();
    let late: Promise<bigint> | undefined;
    await lock.run(async () => {
      late = later.opened.then(() => lock.run((lease) => lease.fencingToken));
    });
    const rival = await lock.acquire();
    later.open();
    await clock.advance(100);
    expect((await backend.inspect('order:1')).holder?.owner).toBe(rival.owner);
    await rival.release();
    expect(await late).toBe(3n);
  });

  it('counts under the nearest body that is still open', async () => {
    const { lock, clock } = setUp();
    const later = gate();
    const order: string[] = [];
    await lock.run(async () => {
      let late: Promise<unknown> = Promise.resolve();
      await lock.run(async () => {
        late = later.opened.then(() => lock.run(() => order.push('late')));
      });
      const sibling = lock.run(async () => {
        order.push('sibling in');
        later.open();
        await clock.advance(1);
        order.push('sibling out');
      });
      await sibling;
      await late;
    });
    expect(order).toEqual(['sibling in', 'sibling out', 'late']);
  });

  it('keeps its turn if a nested body still runs when the one around it ends', async () => {
    const { lock, clock } = setUp();
    const hold = gate();
    const order: string[] = [];
    await lock.run(async () => {
      let grandchild: Promise<unknown> = Promise.resolve();
      await lock.run(async () => {
        grandchild = lock.run(async () => {
          await hold.opened;
          order.push('grandchild out');
        });
        await clock.advance(1);
      });
      const sibling = lock.run(() => order.push('sibling'));
      await clock.advance(1);
      hold.open();
      await Promise.all([grandchild, sibling]);
    });
    expect(order).toEqual(['grandchild out', 'sibling']);
  });
});

describe('a nested run on a lease that was lost', () => {
  it('does not enter: it waits as a stranger', async () => {
    const { lock, backend, clock } = setUp();
    const run = lock.run(async () => {
      backend.loseLease('order:1');
      const inner = await lock.run((lease) => lease.fencingToken);
      expect(inner).toBeGreaterThan(1n);
    });
    const settled = run.catch((error: LockError) => error.code);
    await clock.advance(10);
    expect(await settled).toBe('LOST');
  });
});
