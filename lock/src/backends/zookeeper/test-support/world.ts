/**
 * What the tests of the ZooKeeper backend share: locks and clients that are closed after each test.
 *
 * @module
 */
import { once } from 'node:events';
import { Instant, systemClock } from '../../../core/clock.ts';
import type { LeaseLostError } from '../../../core/errors.ts';
import { createLocks, type LeaseOf, type Locks, type LocksOptions } from '../../../core/lock.ts';
import { type ClientOptions, ZooKeeperClient } from '../client/client.ts';
import { parseConnectString } from '../client/hosts.ts';
import { type ZooKeeperBackend, type ZooKeeperBackendOptions, zookeeperBackend } from '../index.ts';

/** Short, and ten ticks of the tests' servers. */
export const TTL_MS = 1_000;

/** For clients whose server is out of reach. */
const CLOSE_MS = 2_000;

export class World {
  readonly #open: (() => Promise<unknown>)[] = [];
  readonly #cleanUps: (() => Promise<unknown> | unknown)[] = [];

  /** Locks with a backend object of their own, as another process has. */
  locks(
    servers: string,
    options: LocksOptions = {},
    backend: ZooKeeperBackendOptions = {},
  ): Locks<LeaseOf<ZooKeeperBackend>> {
    const locks = createLocks(zookeeperBackend(servers, backend), { ttlMs: TTL_MS, ...options });
    this.#open.push(() => locks.close());
    return locks;
  }

  /** A connected client. */
  async client(servers: string, changes: Partial<ClientOptions> = {}): Promise<ZooKeeperClient> {
    const client = new ZooKeeperClient({
      ...parseConnectString(servers),
      timeoutMs: 30_000,
      tls: undefined,
      digest: undefined,
      clock: systemClock,
      random: Math.random,
      connection: () => undefined,
      over: () => undefined,
      ...changes,
    });
    this.#open.push(() => client.session.close(Instant.plus(systemClock.now(), CLOSE_MS)));
    await client.session.connected(soon());
    return client;
  }

  onEnd(cleanUp: () => Promise<unknown> | unknown): void {
    this.#cleanUps.push(cleanUp);
  }

  async end(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((close) => close()));
    for (const cleanUp of this.#cleanUps.splice(0).reverse()) await cleanUp();
  }
}

export function soon(): Instant {
  return Instant.plus(systemClock.now(), 10_000);
}

export function reasonOf(signal: AbortSignal): string {
  return (signal.reason as LeaseLostError).reason;
}

/** Resolves when a signal is aborted, with the time of `performance.now`. */
export async function aborted(signal: AbortSignal): Promise<number> {
  if (!signal.aborted) await once(signal, 'abort', { signal: AbortSignal.timeout(30_000) });
  return performance.now();
}
