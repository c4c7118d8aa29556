/**
 * What the tests of the etcd backend share: servers and locks that are closed after each file.
 *
 * @module
 */
import type { FencedLease } from '../../../core/lease.ts';
import { createLocks, type Locks, type LocksOptions } from '../../../core/lock.ts';
import { type EtcdBackend, type EtcdBackendOptions, etcdBackend } from '../index.ts';
import { TestEtcd, type TestEtcdOptions } from './etcd.ts';

export class World {
  readonly #cleanUps: (() => Promise<unknown> | unknown)[] = [];

  async etcd(options: TestEtcdOptions = {}): Promise<TestEtcd> {
    const etcd = await TestEtcd.start(options);
    this.#cleanUps.push(() => etcd.stop());
    return etcd;
  }

  /** Locks with a backend object of their own, as another process has. */
  locks(
    etcd: EtcdBackendOptions,
    options: LocksOptions = {},
  ): { readonly locks: Locks<FencedLease>; readonly backend: EtcdBackend } {
    const backend = etcdBackend(etcd);
    const locks = createLocks(backend, { ttlMs: 2_000, ...options });
    this.#cleanUps.push(() => locks.close());
    return { locks, backend };
  }

  onEnd(cleanUp: () => Promise<unknown> | unknown): void {
    this.#cleanUps.push(cleanUp);
  }

  async end(): Promise<void> {
    for (const cleanUp of this.#cleanUps.splice(0).reverse()) await cleanUp();
  }
}

export async function eventually(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 10_000,
): Promise<void> {
  const giveUpAt = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`Not within ${limitMs} ms: ${what}.`);
    await sleep(10);
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The code with which a promise rejects, or what it resolves with. */
export function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => value,
    (error: { code?: string }) => error.code ?? error,
  );
}
