/**
 * Locks in the memory of this process: the reference for all backends, the one to read first, and the one for tests.
 *
 * A lock is a row with a holder and a line of waiters (`store.ts`). The holder has a deadline; whoever looks at the row
 * after it finds the lock free. A free lock goes to the first waiter in line, whoever looks; the receiver is told at
 * once, so that it needs not ask. A waiter that has not been heard of for three heartbeats is out of the line. A
 * hand-over is good for two heartbeats only, until the receiver's first renewal makes it the full TTL, since the
 * receiver may just have died. Tokens count up by one.
 *
 * It excludes the holders of one process (of one store) and nobody else. It cannot fail, so it knows no unknown
 * outcome; everything is gone with the process.
 *
 * @module
 */
import { type Clock, systemClock } from '../../core/clock.ts';
import { checkKeys } from '../../core/options.ts';
import { MemoryBackend } from './backend.ts';
import { MemoryStore } from './store.ts';

export { MemoryBackend, MemoryStore };

export interface MemoryBackendOptions {
  /** The store to share with other backend objects, which are then like other processes. Default: one of its own. */
  readonly store?: MemoryStore;
  readonly clock?: Clock;
}

/** Locks in the memory of this process. */
export function memoryBackend(options: MemoryBackendOptions = {}): MemoryBackend {
  checkKeys('The options of memoryBackend', options, ['store', 'clock']);
  const { store = new MemoryStore(), clock = systemClock } = options;
  return new MemoryBackend(store, clock);
}
