import type { Redis } from 'ioredis';
import { createLocks, type FencedLease, type Locks, type LocksOptions } from '../../../index.ts';
import { fromIoredis, type RedisBackend, type RedisBackendOptions, redisBackend } from '../index.ts';
import type { RedisServer } from './redis-server.ts';

/** Backends and locks with clients of their own, as so many programs have them; all are closed together. */
export class Opened {
  readonly #server: RedisServer;
  readonly #closes: (() => Promise<unknown> | unknown)[] = [];

  constructor(server: RedisServer) {
    this.#server = server;
  }

  client(options: object = {}): Redis {
    const client = this.#server.connect(options);
    this.#closes.push(() => client.disconnect());
    return client;
  }

  backend(options: RedisBackendOptions = {}, client: object = {}): RedisBackend {
    const backend = redisBackend(fromIoredis(this.client(client)), options);
    this.#closes.push(() => backend.close());
    return backend;
  }

  locks(options: LocksOptions = {}, backend: RedisBackendOptions = {}, client: object = {}): Locks<FencedLease> {
    const locks = createLocks(redisBackend(fromIoredis(this.client(client)), backend), options);
    this.#closes.push(() => locks.close());
    return locks;
  }

  onClose(close: () => Promise<unknown> | unknown): void {
    this.#closes.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closes.splice(0).reverse()) await close();
  }
}
