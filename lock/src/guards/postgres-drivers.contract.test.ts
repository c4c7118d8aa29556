/**
 * What a driver was told about 64-bit numbers and about rows, for the queries of its own program.
 *
 * @module
 */
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PostgresQueries, postgresBackend } from '../backends/postgres/index.ts';
import { PostgresServer } from '../backends/postgres/test-support/postgres-server.ts';
import { request, soon } from '../sql/test-support/requests.ts';
import { type PostgresGuard, type PostgresTransaction, postgresGuard } from './postgres.ts';
import { describeAnswers, endingTransaction, type GuardAnswers, inTransactions } from './test-support/guard-suite.ts';

pg.types.setTypeParser(pg.types.builtins.INT8, Number);

let server: PostgresServer;
let pool: pg.Pool;
let binary: pg.Pool;
let sql: postgres.Sql;
beforeAll(async () => {
  server = await PostgresServer.start({ fsync: 'off' });
  pool = server.pool();
  binary = server.pool({ binary: true } as pg.PoolConfig);
  sql = postgres(server.url, { max: 2 });
  await pool.query(postgresGuard({ source: 'test' }).ddl);
  await postgresBackend(pool, { listen: false }).createTables();
}, 60_000);
afterAll(async () => {
  await Promise.all([pool.end(), binary.end(), sql.end()]);
  await server.stop();
}, 60_000);

/** Statements through postgres.js, as the documentation shows it. */
const throughPostgresJs = (on: postgres.ISql): PostgresTransaction => ({
  query: async (text, values) => ({ rows: await on.unsafe(text, values) }),
});

const guardOf = (source: string): PostgresGuard => postgresGuard({ source });

async function transact(work: (connection: pg.PoolClient) => void | Promise<void>, on: pg.Pool = pool): Promise<void> {
  const connection = await on.connect();
  await connection.query('BEGIN');
  await endingTransaction(connection, work);
}

const guards: Readonly<Record<string, GuardAnswers>> = {
  'pg, whose int8 is a number': inTransactions(guardOf, transact),
  'pg, with binary answers': inTransactions(guardOf, (work) => transact(work, binary)),
  'pg, whose rows are lists': inTransactions<PostgresTransaction>(guardOf, (work) =>
    transact((connection) =>
      work({ query: (text, values) => connection.query({ text, values: values as unknown[], rowMode: 'array' }) }),
    ),
  ),
  'postgres.js': inTransactions<PostgresTransaction>(guardOf, async (work) => {
    await sql.begin(async (transaction) => work(throughPostgresJs(transaction)));
  }),
};
for (const [name, guard] of Object.entries(guards)) describeAnswers(`PostgreSQL, through ${name}`, () => guard);

const clients: Readonly<Record<string, () => PostgresQueries>> = {
  'pg, whose int8 is a number': () => pool,
  'pg, with binary answers': () => binary,
  'postgres.js': () => throughPostgresJs(sql),
};
it.each(Object.entries(clients))('the tokens of the backend keep their digits, too: %s', async (name, client) => {
  expect((await pool.query('SELECT 9007199254740993::bigint AS token')).rows[0].token, 'rounded').toBe(2 ** 53);
  await pool.query('INSERT INTO holdfast_lock (name, token) VALUES ($1, 9007199254740993)', [name]);
  const backend = postgresBackend(client(), { listen: false });
  const fencingToken = 9_007_199_254_740_994n;
  expect(await backend.tryAcquire(request(name), soon())).toMatchObject({ outcome: 'granted', fencingToken });
  expect((await backend.inspect(name, soon())).holder).toMatchObject({ fencingToken });
  const { broken, raiseTo } = await backend.breakLock(name, soon());
  expect(broken).toMatchObject({ fencingToken });
  expect(raiseTo).toBeGreaterThan(fencingToken);
  await backend.close();
});
