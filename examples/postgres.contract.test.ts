import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PostgresServer } from '../lock/src/backends/postgres/test-support/postgres-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
}, 60_000);
afterAll(() => server.stop(), 60_000);

it('the example refuses the holder that was overtaken', async () => {
  const example = fileURLToPath(new URL('./postgres.mjs', import.meta.url));
  const env = { ...process.env, DATABASE_URL: server.url };
  const { stdout } = await promisify(execFile)(process.execPath, [example], { env });
  expect(stdout).toBe('refused: 2 is below 3\ncharged 2 times\n');
});
