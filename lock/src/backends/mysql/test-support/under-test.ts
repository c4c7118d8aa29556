/**
 * A MariaDB with lease rows on it, as the contract suite wants it, through any driver.
 *
 * @module
 */
import type { BackendUnderTest } from '../../../contract/index.ts';
import type { Backend } from '../../../core/backend.ts';
import { type MysqlCallbackPool, type MysqlPool, mysqlBackend } from '../index.ts';
import { MysqlServer } from './mysql-server.ts';

/** Opens a pool of this driver. */
export type Driver = (port: number) => { pool: MysqlPool | MysqlCallbackPool; end: () => Promise<unknown> };

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

export async function mysqlUnderTest(open: Driver): Promise<BackendUnderTest> {
  const server = await MysqlServer.start();
  await mysqlBackend(server.admin).createTables();
  const create = (port: number): Backend => {
    const { pool, end } = open(port);
    return closing(mysqlBackend(pool), end);
  };
  return {
    create: () => create(server.port),
    worker: { module: new URL('./worker.mjs', import.meta.url), data: { url: server.url } },
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
}
