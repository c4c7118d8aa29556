import { createPool as createMariadbPool } from 'mariadb';
import { createPool as createCallbackPool } from 'mysql2';
import { createPool } from 'mysql2/promise';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type BackendUnderTest, describeBackend } from '../../contract/index.ts';
import type { Backend } from '../../core/backend.ts';
import { type MysqlCallbackPool, type MysqlPool, mysqlBackend } from './index.ts';
import { MariadbServer, urlOf } from './test-support/mariadb-server.ts';

/** A backend object that takes its pool along when it is closed, as a program that ends does. */
function closing(backend: Backend, end: () => Promise<unknown>): Backend {
  const close = backend.close.bind(backend);
  let ended: Promise<unknown> | undefined;
  backend.close = async () => {
    await close();
    ended ??= end();
    await ended;
  };
  return backend;
}

const drivers: Record<string, (port: number) => { pool: MysqlPool | MysqlCallbackPool; end: () => Promise<unknown> }> =
  {
    'mysql, with mysql2': (port) => {
      const pool = createPool({ uri: urlOf(port), connectTimeout: 5_000 });
      return { pool, end: () => pool.end() };
    },
    'mysql, with mysql2 and callbacks': (port) => {
      const pool = createCallbackPool({ uri: urlOf(port), connectTimeout: 5_000 });
      return { pool, end: () => pool.promise().end() };
    },
    'mysql, with mariadb': (port) => {
      const pool = createMariadbPool({
        host: '127.0.0.1',
        port,
        user: 'root',
        database: 'holdfast',
        connectTimeout: 5_000,
      });
      return { pool, end: () => pool.end() };
    },
  };

for (const [id, driver] of Object.entries(drivers)) {
  describeBackend({ afterAll, beforeAll, describe, it }, id, {
    start: async (): Promise<BackendUnderTest> => {
      const server = await MariadbServer.start();
      await mysqlBackend(server.admin).createTables();
      const create = (port: number): Backend => {
        const { pool, end } = driver(port);
        return closing(mysqlBackend(pool), end);
      };
      return {
        create: () => create(server.port),
        worker: { module: new URL('./test-support/worker.mjs', import.meta.url), data: { url: server.url } },
        server: {
          restart: () => server.restart(),
          pause: () => server.pause(),
          resume: () => server.resume(),
        },
        network: { port: server.port, createThrough: (port) => create(port) },
        // Rows of locks stay for their counters; refused owner ids stay for ten minutes.
        residue: async () => {
          const [rows] = await server.admin.query(
            'SELECT name, owner FROM holdfast_lock WHERE owner IS NOT NULL UNION ALL SELECT name, owner FROM holdfast_waiter ORDER BY 1, 2',
          );
          return (rows as { name: Buffer; owner: Buffer }[]).map(({ name, owner }) => `${name} ${owner}`);
        },
        stop: () => server.stop(),
      };
    },
  });
}
