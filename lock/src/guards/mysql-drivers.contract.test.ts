/**
 * What a pool was told about numbers, rows and placeholders, for the queries of its own program.
 *
 * @module
 */
import { createPool as createMariadbPool } from 'mariadb';
import { createPool } from 'mysql2/promise';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type MysqlPool, mysqlBackend } from '../backends/mysql/index.ts';
import { MysqlServer } from '../backends/mysql/test-support/mysql-server.ts';
import { request, soon } from '../sql/test-support/requests.ts';
import { type MysqlGuard, type MysqlTransaction, mysqlGuard } from './mysql.ts';
import { describeAnswers, endingTransaction, inTransactions } from './test-support/guard-suite.ts';

interface Pool {
  getConnection(): Promise<MysqlTransaction & { release(): unknown }>;
  end(): Promise<unknown>;
}

let server: MysqlServer;
const pools: Map<string, Pool> = new Map();
beforeAll(async () => {
  server = await MysqlServer.start(['--innodb-flush-log-at-trx-commit=0']);
  await server.admin.query(mysqlGuard({ source: 'test' }).ddl);
  await mysqlBackend(server.admin).createTables();
}, 120_000);
afterAll(async () => {
  await Promise.all([...pools.values()].map((pool) => pool.end()));
  await server.stop();
}, 60_000);

const mysql2 = (options: object) => (): Pool => createPool({ uri: server.url, connectionLimit: 2, ...options });
const mariadb = (options: object) => (): Pool =>
  createMariadbPool({
    host: '127.0.0.1',
    port: server.port,
    user: 'root',
    database: 'holdfast',
    connectionLimit: 2,
    ...options,
  });

const kinds: Readonly<Record<string, () => Pool>> = {
  'mysql2, supportBigNumbers, latin1': mysql2({ supportBigNumbers: true, charset: 'latin1' }),
  'mysql2, bigNumberStrings, namedPlaceholders': mysql2({
    supportBigNumbers: true,
    bigNumberStrings: true,
    namedPlaceholders: true,
  }),
  'mysql2, rowsAsArray': mysql2({ rowsAsArray: true }),
  'mysql2, nestTables': mysql2({ nestTables: true }),
  'mysql2, without typeCast': mysql2({ typeCast: false }),
  'mariadb, numbers, namedPlaceholders': mariadb({
    bigIntAsNumber: true,
    insertIdAsNumber: true,
    decimalAsNumber: true,
    namedPlaceholders: true,
  }),
  'mariadb, rowsAsArray': mariadb({ rowsAsArray: true }),
  'mariadb, nestTables': mariadb({ nestTables: true }),
  'mariadb, metaAsArray': mariadb({ metaAsArray: true }),
};

const guardOf = (source: string): MysqlGuard => mysqlGuard({ source });

function poolOf(kind: string): Pool {
  const pool = pools.get(kind) ?? (kinds[kind] as () => Pool)();
  pools.set(kind, pool);
  return pool;
}

async function transact(kind: string, work: (connection: MysqlTransaction) => void | Promise<void>): Promise<void> {
  const connection = await poolOf(kind).getConnection();
  await connection.query('START TRANSACTION');
  await endingTransaction(connection, work);
}

for (const kind of Object.keys(kinds)) {
  describeAnswers(`MariaDB, through ${kind}`, () => inTransactions(guardOf, (work) => transact(kind, work)));
}

it('the name of a resource is the same on connections of all kinds', async () => {
  for (const [index, kind] of Object.keys(kinds).entries()) {
    await transact(kind, (connection) => guardOf('test').fence(connection, 'Übergröße', BigInt(index + 1)));
    const stale = transact(kind, (connection) => guardOf('test').fence(connection, 'Übergröße', BigInt(index)));
    await expect(stale).rejects.toMatchObject({ code: 'STALE_TOKEN', floor: BigInt(index + 1) });
  }
  const [rows] = await server.admin.query('SELECT * FROM holdfast_fence WHERE resource = ?', [
    Buffer.from('Übergröße'),
  ]);
  expect(rows).toHaveLength(1);
});

it.each(Object.keys(kinds))('the tokens of the backend keep their digits, too: %s', async (kind) => {
  const [name, fencingToken] = [`digits: ${kind}`, 9_007_199_254_740_994n];
  await server.admin.query('INSERT INTO holdfast_lock (name, token) VALUES (?, 9007199254740993)', [name]);
  const backend = mysqlBackend(poolOf(kind) as unknown as MysqlPool);
  expect(await backend.tryAcquire(request(name), soon())).toMatchObject({ outcome: 'granted', fencingToken });
  expect((await backend.inspect(name, soon())).holder).toMatchObject({ fencingToken });
  expect((await backend.breakLock(name, soon())).broken).toMatchObject({ fencingToken });
  await backend.close();
});

it('a token is the same number whatever collation the connection has, and however little its mode checks', async () => {
  const pool = createPool({ uri: server.url, connectionLimit: 1 });
  onTestFinished(() => pool.end());
  await pool.query("SET SESSION sql_mode = '', collation_connection = utf16_general_ci");
  const connection = await pool.getConnection();
  await connection.query('START TRANSACTION');
  await guardOf('test').fence(connection, 'collation', 70n);
  await expect(guardOf('test').fence(connection, 'collation', 60n)).rejects.toMatchObject({ floor: 70n });
  await connection.query('ROLLBACK');
  connection.release();
});
