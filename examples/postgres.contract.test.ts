import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ddl, postgresBackend } from '../lock/src/backends/postgres/index.ts';
import { PostgresServer } from '../lock/src/backends/postgres/test-support/postgres-server.ts';
import { postgresGuard } from '../lock/src/guards/postgres.ts';
import { createLocks, Instant, systemClock } from '../lock/src/index.ts';

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

it('a COMMIT with the guard in it stands, although run rejects with LOST afterwards', async () => {
  const pool = new pg.Pool({ connectionString: server.url });
  const backend = postgresBackend(pool);
  const guard = postgresGuard({ source: backend.tokenSource });
  const locks = createLocks(backend);
  await pool.query(`${ddl()}; ${guard.ddl}; CREATE TABLE accounts (name text PRIMARY KEY, charges integer NOT NULL)`);
  await pool.query("INSERT INTO accounts VALUES ('a', 0)");

  let charges: unknown;
  const ran = locks.lock('account:a').run(async (lease) => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await guard.fence(client, 'account:a', lease.fencingToken);
    const { rows } = await client.query("UPDATE accounts SET charges = charges + 1 WHERE name = 'a' RETURNING charges");
    await client.query('COMMIT');
    client.release();
    charges = rows[0].charges;
    await backend.breakLock('account:a', Instant.plus(systemClock.now(), 5_000));
  });

  await expect(ran).rejects.toMatchObject({ code: 'LOST' });
  expect(charges).toBe(1);
  expect((await pool.query('SELECT charges FROM accounts')).rows).toEqual([{ charges: 1 }]);
  await locks.close();
  await pool.end();
});
