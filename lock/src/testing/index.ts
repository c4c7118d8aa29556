/**
 * For the tests of programs that use Holdfast: locks in memory, a clock that the test moves, and a lease that is lost
 * on command, so that "what if we lose the lock here?" is one line.
 *
 * @example
 * const clock = manualClock();
 * const backend = testBackend({ clock });
 * const locks = createLocks(backend, { ttlMs: 30_000, clock });
 * const lease = await locks.lock('order:1').acquire();
 * backend.loseLease('order:1');
 * lease.state; // 'lost'
 *
 * @module
 */
import { MemoryBackend, MemoryStore } from '../backends/memory/index.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import type { LossReason } from '../core/errors.ts';
import { checkKeys, checkName } from '../core/options.ts';
import { ManualClock } from './manual-clock.ts';

export { ManualClock };

/** A memory backend with a switch to take a lease away. */
export class TestBackend extends MemoryBackend {
  readonly #store: MemoryStore;
  readonly #clock: Clock;

  constructor(store: MemoryStore, clock: Clock) {
    super(store, clock);
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Takes the lock from its holder now: its lease is lost, with this reason, before the call returns, and the next in
   * line gets the lock. Gives false if nobody holds it.
   */
  loseLease(name: string, reason: LossReason = 'taken'): boolean {
    return this.#store.row(checkName(name)).breakLock(this.#clock.now(), reason).broken !== undefined;
  }
}

export interface TestBackendOptions {
  /** Give the same clock to `createLocks`. */
  readonly clock?: Clock;
  /** The store to share with other backend objects, which are then like other processes. */
  readonly store?: MemoryStore;
}

export function testBackend(options: TestBackendOptions = {}): TestBackend {
  checkKeys('The options of testBackend', options, ['clock', 'store']);
  return new TestBackend(options.store ?? new MemoryStore(), options.clock ?? systemClock);
}

/** A clock that stands still until `advance` or `jump`. */
export function manualClock(): ManualClock {
  return new ManualClock();
}
