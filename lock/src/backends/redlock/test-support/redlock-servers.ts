/**
 * Independent redis-servers for tests, and backend objects on them, each with clients of its own.
 *
 * @module
 */
import type { Redis } from 'ioredis';
import { fromIoredis } from '../../redis/index.ts';
import { RedisServer } from '../../redis/test-support/redis-server.ts';
import { type RedlockBackend, type RedlockBackendOptions, redlockBackend } from '../index.ts';

export class RedlockServers {
  readonly all: readonly RedisServer[];

  private constructor(all: readonly RedisServer[]) {
    this.all = all;
  }

  static async start(count = 5, args: readonly string[] = []): Promise<RedlockServers> {
    return new RedlockServers(await Promise.all(Array.from({ length: count }, () => RedisServer.start(args))));
  }

  get ports(): readonly number[] {
    return this.all.map(({ port }) => port);
  }

  /** One of them, by its place. */
  at(place: number): RedisServer {
    const server = this.all[place];
    if (server === undefined) throw new Error(`There is no server ${place}.`);
    return server;
  }

  /** A backend object that takes its clients along when it is closed, as a program that ends does. */
  backend(
    options: RedlockBackendOptions = {},
    client: object = {},
    ports: readonly number[] = this.ports,
  ): RedlockBackend {
    const clients = this.all.map((server, at) => server.connect({ port: ports[at] ?? server.port, ...client }));
    return withClients(clients, options);
  }

  /** How many of them have a key for this lock, whoever's it is. */
  async votes(name: string, keyPrefix = 'holdfast:'): Promise<number> {
    const found = await Promise.all(this.all.map(({ admin }) => admin.exists(keyPrefix + name)));
    return found.reduce((sum, one) => sum + one, 0);
  }

  /** All keys, each with the place of its server before it. */
  async keys(): Promise<string[]> {
    const lists = await Promise.all(this.all.map((server) => server.keys()));
    return lists.flatMap((keys, place) => keys.map((key) => `${place} ${key}`));
  }

  /**
   * What stays. A majority confirms a release, and the last servers may still be at it: so it is what two looks find.
   * Refused owner ids are documented to stay for 20 minutes.
   */
  async residue(): Promise<string[]> {
    for (let before: string[] | undefined; ; ) {
      const found = (await this.keys()).filter((key) => !key.includes('holdfast.withdrawn'));
      if (JSON.stringify(found) === JSON.stringify(before)) return found;
      before = found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((server) => server.stop()));
  }
}

export function withClients(clients: readonly Redis[], options: RedlockBackendOptions = {}): RedlockBackend {
  const backend = redlockBackend(clients.map(fromIoredis), options);
  const close = backend.close.bind(backend);
  backend.close = async () => {
    await close();
    for (const client of clients) client.disconnect();
  };
  return backend;
}
