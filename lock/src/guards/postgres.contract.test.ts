import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresBackend } from '../backends/postgres/index.ts';
import { PostgresServer } from '../backends/postgres/test-support/postgres-server.ts';
import { postgresGuard } from './postgres.ts';
import { describeGuard, endingTransaction, type GuardUnderTest } from './test-support/guard-suite.ts';

let server: PostgresServer;
let pool: ReturnType<PostgresServer['pool']>;
beforeAll(async () => {
  server = await PostgresServer.start();
  pool = server.pool({ max: 20 });
  await pool.query(
    `${postgresGuard({ source: 'test' }).ddl}CREATE TABLE register (resource text PRIMARY KEY, tokens text)`,
  );
}, 60_000);
afterAll(async () => {
  await pool.end();
  await server.stop();
}, 60_000);

async function inTransaction(work: (connection: pg.PoolClient) => Promise<void>): Promise<void> {
  const connection = await pool.connect();
  await connection.query('BEGIN');
  await endingTransaction(connection, work);
}

function subject(isolation: string): GuardUnderTest {
  return {
    async begin(resource, source = 'test') {
      const guard = postgresGuard({ source });
      const connection = await pool.connect();
      await connection.query(`BEGIN ISOLATION LEVEL ${isolation}`);
      const end = async (how: string): Promise<void> => {
        await connection.query(how).finally(() => connection.release());
      };
      let ended = false;
      return {
        fence: (token) => guard.fence(connection, resource, token),
        async read() {
          const { rows } = await connection.query('SELECT tokens FROM register WHERE resource = $1', [resource]);
          return JSON.parse(rows[0]?.tokens ?? '[]');
        },
        async write(tokens) {
          await connection.query(
            'INSERT INTO register VALUES ($1, $2) ON CONFLICT (resource) DO UPDATE SET tokens = $2',
            [resource, JSON.stringify(tokens)],
          );
        },
        async commit() {
          ended = true;
          await end('COMMIT');
        },
        async rollback() {
          if (!ended) await end('ROLLBACK');
        },
      };
    },
    raise: (resource, token) =>
      inTransaction((connection) => postgresGuard({ source: 'test' }).raise(connection, resource, token)),
    changeSource: (resource, to, change) =>
      inTransaction((connection) => postgresGuard({ source: to }).changeSource(connection, resource, change)),
    isRetry: (error) => ['40001', '40P01'].includes((error as { code?: string }).code ?? ''),
  };
}

describeGuard('PostgreSQL, READ COMMITTED', () => subject('READ COMMITTED'));
describeGuard('PostgreSQL, SERIALIZABLE', () => subject('SERIALIZABLE'));

it('a serialization failure goes to the user as it is, and not as a stale token', async () => {
  const guard = postgresGuard({ source: 'test' });
  const [one, two] = [await pool.connect(), await pool.connect()];
  await one.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
  await one.query('SELECT 1'); // its snapshot is taken
  await two.query('BEGIN');
  await guard.fence(two, 'serial', 2n);
  await two.query('COMMIT');
  await expect(guard.fence(one, 'serial', 3n)).rejects.toMatchObject({ code: '40001' });
  await one.query('ROLLBACK');
  one.release();
  two.release();
});

it('tokens of two databases are told apart by the names that they were given', async () => {
  const [orders, billing] = ['orders', 'billing'].map((tokenSource) => postgresBackend(pool, { tokenSource }));
  const connection = await pool.connect();
  await connection.query('BEGIN');
  await postgresGuard({ source: orders?.tokenSource ?? '' }).fence(connection, 'two databases', 5n);
  const other = postgresGuard({ source: billing?.tokenSource ?? '' }).fence(connection, 'two databases', 6n);
  await expect(other).rejects.toMatchObject({ code: 'CONFIG', message: expect.stringContaining('orders') });
  await connection.query('ROLLBACK');
  connection.release();
  expect(postgresBackend(pool, { schema: 'jobs' }).tokenSource).toBe('postgres:jobs');
});

it('a pool is refused, since each of its queries is a transaction of its own', async () => {
  await expect(postgresGuard({ source: 'test' }).fence(pool, 'x', 1n)).rejects.toThrow('was given a pool');
});

it('a connection on which no transaction is open is refused', async () => {
  const guard = postgresGuard({ source: 'test' });
  const connection = await pool.connect();
  await expect(guard.fence(connection, 'alone', 1n)).rejects.toThrow('BEGIN first');
  // Sent together, without a wait for the first.
  const [, fenced] = await Promise.all([connection.query('BEGIN'), guard.fence(connection, 'alone', 2n)]);
  expect(fenced).toBeUndefined();
  await connection.query('COMMIT');
  connection.release();
});

it('a missing table is CONFIG, and says how to make it', async () => {
  const connection = await pool.connect();
  await connection.query('BEGIN');
  const guard = postgresGuard({ source: 'test', table: 'nowhere' });
  await expect(guard.fence(connection, 'x', 1n)).rejects.toMatchObject({
    code: 'CONFIG',
    message: expect.stringContaining('migrate --guard'),
  });
  await connection.query('ROLLBACK');
  connection.release();
});
