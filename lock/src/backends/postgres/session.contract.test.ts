import { afterAll, beforeAll, describe, it } from 'vitest';
import { type BackendUnderTest, describeBackend } from '../../contract/index.ts';
import type { Backend } from '../../core/backend.ts';
import { notForSessions } from '../../sql/test-support/session-cases.ts';
import { postgresBackend } from './index.ts';
import { PostgresServer } from './test-support/postgres-server.ts';

/** A backend object that takes its pool along when it is closed, as a program that ends does. */
function backendOn(server: PostgresServer, port: number): Backend {
  const pool = server.pool({ connectionString: server.urlAt(port) });
  const backend = postgresBackend(pool, { session: true });
  const close = backend.close.bind(backend);
  backend.close = async () => {
    await close();
    if (!pool.ended) await pool.end();
  };
  return backend;
}

describeBackend({ afterAll, beforeAll, describe, it }, 'postgres-session', {
  doesNotApply: notForSessions,
  start: async (): Promise<BackendUnderTest> => {
    const server = await PostgresServer.start();
    return {
      create: () => backendOn(server, server.port),
      worker: {
        module: new URL('./test-support/worker.mjs', import.meta.url),
        data: { url: server.url, options: { session: true } },
      },
      server: {
        restart: () => server.restart(),
        pause: () => server.pause(),
        resume: () => server.resume(),
      },
      network: { port: server.port, createThrough: (port) => backendOn(server, port) },
      residue: async () => {
        const { rows } = await server.admin.query("SELECT objid FROM pg_locks WHERE locktype = 'advisory' ORDER BY 1");
        return rows.map(({ objid }) => String(objid));
      },
      stop: () => server.stop(),
    };
  },
});
