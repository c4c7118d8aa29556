import { afterAll, beforeAll, describe, it } from 'vitest';
import { type BackendUnderTest, describeBackend } from '../../contract/index.ts';
import type { Backend } from '../../core/backend.ts';
import { postgresBackend } from './index.ts';
import { PostgresServer } from './test-support/postgres-server.ts';

/** A backend object that takes its pool along when it is closed, as a program that ends does. */
function backendOn(server: PostgresServer, port: number): Backend {
  const pool = server.pool({
    host: '127.0.0.1',
    connectionString: server.url.replace(`:${server.port}/`, `:${port}/`),
  });
  const backend = postgresBackend(pool);
  const close = backend.close.bind(backend);
  backend.close = async () => {
    await close();
    if (!pool.ended) await pool.end();
  };
  return backend;
}

describeBackend({ afterAll, beforeAll, describe, it }, 'postgres', {
  start: async (): Promise<BackendUnderTest> => {
    const server = await PostgresServer.start();
    await postgresBackend(server.admin, { listen: false }).createTables();
    return {
      create: () => backendOn(server, server.port),
      worker: { module: new URL('./test-support/worker.mjs', import.meta.url), data: { url: server.url } },
      server: {
        restart: () => server.restart(),
        pause: () => server.pause(),
        resume: () => server.resume(),
      },
      network: { port: server.port, createThrough: (port) => backendOn(server, port) },
      // Rows of locks stay for their counters; refused owner ids stay for ten minutes.
      residue: async () => {
        const { rows } = await server.admin.query(
          'SELECT name, owner FROM holdfast_lock WHERE owner IS NOT NULL UNION ALL SELECT name, owner FROM holdfast_waiter ORDER BY 1, 2',
        );
        return rows.map(({ name, owner }) => `${name} ${owner}`);
      },
      stop: () => server.stop(),
    };
  },
});
