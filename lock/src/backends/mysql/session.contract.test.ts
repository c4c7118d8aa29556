import { createPool } from 'mysql2/promise';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type BackendUnderTest, describeBackend } from '../../contract/index.ts';
import type { Backend } from '../../core/backend.ts';
import { notForSessions } from '../../sql/test-support/session-cases.ts';
import { mysqlBackend } from './index.ts';
import { MysqlServer, urlOf } from './test-support/mysql-server.ts';

/** A backend object that takes its pool along when it is closed, as a program that ends does. */
function backendOn(port: number): Backend {
  const pool = createPool({ uri: urlOf(port), connectTimeout: 5_000 });
  const backend = mysqlBackend(pool, { session: true });
  const close = backend.close.bind(backend);
  let ended: Promise<void> | undefined;
  backend.close = async () => {
    await close();
    ended ??= pool.end();
    await ended;
  };
  return backend;
}

describeBackend({ afterAll, beforeAll, describe, it }, 'mysql-session', {
  doesNotApply: notForSessions,
  start: async (): Promise<BackendUnderTest> => {
    const server = await MysqlServer.start();
    return {
      create: () => backendOn(server.port),
      worker: {
        module: new URL('./test-support/worker.mjs', import.meta.url),
        data: { url: server.url, options: { session: true } },
      },
      server: {
        restart: () => server.restart(),
        pause: () => server.pause(),
        resume: () => server.resume(),
      },
      network: { port: server.port, createThrough: (port) => backendOn(port) },
      stop: () => server.stop(),
    };
  },
});
