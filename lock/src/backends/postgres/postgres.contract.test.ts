import { afterAll, beforeAll, describe, it } from 'vitest';
import { type BackendUnderTest, describeBackend } from '../../contract/index.ts';
import type { Backend } from '../../core/backend.ts';
import { postgresBackend } from './index.ts';
import { PgBouncer } from './test-support/pgbouncer.ts';
import { PostgresServer } from './test-support/postgres-server.ts';

/** A backend object that takes its pool along when it is closed, as a program that ends does. */
function backendOn(server: PostgresServer, port: number): Backend {
  const pool = server.pool({ connectionString: urlOf(port) });
  const backend = postgresBackend(pool);
  const close = backend.close.bind(backend);
  backend.close = async () => {
    await close();
    if (!pool.ended) await pool.end();
  };
  return backend;
}

function urlOf(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

const ranOnce = {
  '10,000 acquire and release leave no keys, listeners or memory':
    'the same statements, whichever way they take: it is run straight to the server',
};

/** The suite straight to the server, and through a pooler that gives each transaction another connection. */
for (const pooled of [false, true]) {
  describeBackend({ afterAll, beforeAll, describe, it }, pooled ? 'postgres, behind PgBouncer' : 'postgres', {
    doesNotApply: pooled ? ranOnce : {},
    start: async (): Promise<BackendUnderTest> => {
      const server = await PostgresServer.start();
      await postgresBackend(server.admin, { listen: false }).createTables();
      const pooler = pooled ? await PgBouncer.start(server, { mode: 'transaction' }) : undefined;
      const port = pooler?.port ?? server.port;
      return {
        create: () => backendOn(server, port),
        worker: { module: new URL('./test-support/worker.mjs', import.meta.url), data: { url: urlOf(port) } },
        server: {
          restart: () => server.restart(),
          pause: () => server.pause(),
          resume: () => server.resume(),
        },
        network: { port, createThrough: (relayPort) => backendOn(server, relayPort) },
        // Rows of locks stay for their counters; refused owner ids stay for ten minutes.
        residue: async () => {
          const { rows } = await server.admin.query(
            'SELECT name, owner FROM holdfast_lock WHERE owner IS NOT NULL UNION ALL SELECT name, owner FROM holdfast_waiter ORDER BY 1, 2',
          );
          return rows.map(({ name, owner }) => `${name} ${owner}`);
        },
        stop: async () => {
          await pooler?.stop();
          await server.stop();
        },
      };
    },
  });
}
