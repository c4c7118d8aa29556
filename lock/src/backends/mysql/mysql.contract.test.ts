import { createPool as createMariadbPool } from 'mariadb';
import { createPool as createCallbackPool } from 'mysql2';
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

interface Driver {
  readonly id: string;
  open(port: number): { pool: MysqlPool | MysqlCallbackPool; end: () => Promise<unknown> };
  readonly doesNotApply?: Readonly<Record<string, string>>;
}

const drivers: readonly Driver[] = [
  {
    // Its pool with promises is what the one with callbacks wraps.
    id: 'mysql, with mysql2 and callbacks',
    open(port) {
      const pool = createCallbackPool({ uri: urlOf(port), connectTimeout: 5_000 });
      return { pool, end: () => pool.promise().end() };
    },
  },
  {
    id: 'mysql, with mariadb',
    open(port) {
      const account = { user: 'root', database: 'holdfast' };
      const pool = createMariadbPool({ host: '127.0.0.1', port, ...account, connectTimeout: 5_000 });
      return { pool, end: () => pool.end() };
    },
    doesNotApply: {
      '10,000 acquire and release leave no keys, listeners or memory':
        'the same statements, whichever driver sends them: it is run with mysql2',
    },
  },
];

for (const { id, open, doesNotApply = {} } of drivers) {
  describeBackend({ afterAll, beforeAll, describe, it }, id, {
    doesNotApply,
    start: async (): Promise<BackendUnderTest> => {
      const server = await MariadbServer.start();
      await mysqlBackend(server.admin).createTables();
      const create = (port: number): Backend => {
        const { pool, end } = open(port);
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
