import { createPool } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mysqlBackend } from '../backends/mysql/index.ts';
import { MysqlServer, urlOf } from '../backends/mysql/test-support/mysql-server.ts';
import { postgresBackend } from '../backends/postgres/index.ts';
import { PostgresServer } from '../backends/postgres/test-support/postgres-server.ts';
import { Relay } from '../contract/relay.ts';
import type { Backend } from '../core/backend.ts';
import { createLocks } from '../core/lock.ts';

/** A session backend on a pool of its own. */
interface Opened {
  readonly backend: Backend;
  connections(): Promise<number>;
  /** Leaves an idle connection in the pool. */
  warm(): Promise<unknown>;
  end(): Promise<void>;
}

interface Server {
  readonly port: number;
  open(port: number): Opened;
  stop(): Promise<void>;
}

const servers: Record<string, () => Promise<Server>> = {
  async PostgreSQL() {
    const server = await PostgresServer.start();
    return {
      port: server.port,
      open(port) {
        const pool = server.pool({ connectionString: server.urlAt(port) });
        const connections = async (): Promise<number> => pool.totalCount;
        const warm = (): Promise<unknown> => pool.query('SELECT');
        return { backend: postgresBackend(pool, { session: true }), connections, warm, end: () => pool.end() };
      },
      stop: () => server.stop(),
    };
  },
  async MariaDB() {
    const server = await MysqlServer.start();
    return {
      port: server.port,
      open(port) {
        const pool = createPool({ uri: urlOf(port) });
        const count = "SELECT count(*) AS n FROM information_schema.processlist WHERE command = 'Sleep'";
        const connections = async (): Promise<number> => {
          const [rows] = await server.admin.query(count);
          return (rows as { n: number }[])[0]?.n ?? 0;
        };
        const warm = (): Promise<unknown> => pool.query('DO 1');
        return { backend: mysqlBackend(pool, { session: true }), connections, warm, end: () => pool.end() };
      },
      stop: () => server.stop(),
    };
  },
};

describe.each(Object.entries(servers))('a session on %s', (_, start) => {
  let server: Server;
  beforeAll(async () => {
    server = await start();
  }, 120_000);
  afterAll(() => server.stop(), 60_000);

  it('whose link was cut without a word is lost by its own clock before the server gives its lock to another', async () => {
    const relay = await Relay.start(server.port);
    const [cut, other] = [server.open(relay.port), server.open(server.port)];
    const [locks, rival] = [createLocks(cut.backend), createLocks(other.backend)];
    const lease = await locks.lock('link').acquire();
    let lostAt = Number.POSITIVE_INFINITY;
    lease.signal.addEventListener('abort', () => {
      lostAt = performance.now();
    });
    relay.blackHole();
    const cutAt = performance.now();
    const next = await rival.lock('link').acquire({ waitMs: 60_000 });
    const grantedAt = performance.now();
    // Ours counts to 10 s, the server to 15 s: what lies between is the margin of two clocks that run apart.
    expect(lostAt - cutAt).toBeLessThan(10_500);
    expect(grantedAt - lostAt).toBeGreaterThan(2_000);
    expect(lease.state).toBe('lost');
    await next.release();
    await Promise.all([locks.close(), rival.close()]);
    await relay.close();
    await Promise.all([cut.end(), other.end()]);
  }, 90_000);

  it('whose link is cut while it is being prepared keeps nobody waiting for it, neither the next attempt nor close', async () => {
    const relay = await Relay.start(server.port);
    const { backend, warm, end } = server.open(relay.port);
    await warm();
    relay.blackHole();
    const locks = createLocks(backend);
    await expect(locks.lock('first').acquire({ waitMs: 1_000 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    relay.heal(); // for other connections: what was asked on that one is lost
    await (await locks.lock('next').acquire({ waitMs: 30_000 })).release();
    await locks.close();
    await end();
    await relay.close();
  }, 60_000);

  it('on which nothing is held for a while gives its connection back', async () => {
    const { backend, connections, end } = server.open(server.port);
    const before = await connections();
    const locks = createLocks(backend);
    await locks.lock('short').run(() => undefined);
    expect(await connections()).toBeGreaterThan(before);
    const giveUpAt = performance.now() + 60_000;
    while ((await connections()) > before) {
      if (performance.now() > giveUpAt) throw new Error('the connection was not given back within 60 s');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await locks.lock('short').run(() => undefined);
    await locks.close();
    await end();
  }, 90_000);
});
