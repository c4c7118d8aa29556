import { createPool as createMariadbPool } from 'mariadb';
import { createPool } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MysqlServer } from '../backends/mysql/test-support/mysql-server.ts';
import { type MysqlTransaction, mysqlGuard } from './mysql.ts';
import { describeGuard, endingTransaction, type GuardUnderTest } from './test-support/guard-suite.ts';

interface Connection extends MysqlTransaction {
  release(): unknown;
}

interface Pool {
  getConnection(): Promise<Connection>;
  end(): Promise<unknown>;
}

let server: MysqlServer;
let pools: Record<'mysql2' | 'mariadb', Pool>;
beforeAll(async () => {
  server = await MysqlServer.start();
  await server.admin.query(mysqlGuard({ source: 'test' }).ddl);
  await server.admin.query('CREATE TABLE register (resource varchar(255) PRIMARY KEY, tokens text) ENGINE = InnoDB');
  pools = {
    mysql2: createPool({ uri: server.url, connectionLimit: 20 }),
    mariadb: createMariadbPool({
      host: '127.0.0.1',
      port: server.port,
      user: 'root',
      database: 'holdfast',
      connectionLimit: 20,
    }),
  };
}, 120_000);
afterAll(async () => {
  await Promise.all(Object.values(pools).map((pool) => pool.end()));
  await server.stop();
}, 60_000);

/** The first row, whichever driver gives it: mysql2 gives [rows, fields], mariadb the rows. */
function firstRow(answer: unknown): Record<string, unknown> | undefined {
  let row = answer;
  while (Array.isArray(row)) row = row[0];
  return row as Record<string, unknown> | undefined;
}

function subject(pool: () => Pool, isolation: string): GuardUnderTest {
  const begin = async (): Promise<Connection> => {
    const connection = await pool().getConnection();
    await connection.query(`SET TRANSACTION ISOLATION LEVEL ${isolation}`);
    await connection.query('START TRANSACTION');
    return connection;
  };
  const inTransaction = async (work: (connection: Connection) => Promise<void>): Promise<void> => {
    const connection = await begin();
    await endingTransaction(connection, work);
  };
  return {
    async begin(resource, source = 'test') {
      const guard = mysqlGuard({ source });
      const connection = await begin();
      let ended = false;
      const end = async (how: 'COMMIT' | 'ROLLBACK'): Promise<void> => {
        if (ended) return;
        ended = true;
        await connection.query(how).finally(() => connection.release());
      };
      return {
        fence: (token) => guard.fence(connection, resource, token),
        async read() {
          const row = firstRow(await connection.query('SELECT tokens FROM register WHERE resource = ?', [resource]));
          return JSON.parse((row?.tokens as string | undefined) ?? '[]');
        },
        async write(tokens) {
          await connection.query('REPLACE INTO register VALUES (?, ?)', [resource, JSON.stringify(tokens)]);
        },
        commit: () => end('COMMIT'),
        rollback: () => end('ROLLBACK'),
      };
    },
    raise: (resource, token) =>
      inTransaction((connection) => mysqlGuard({ source: 'test' }).raise(connection, resource, token)),
    changeSource: (resource, to, change) =>
      inTransaction((connection) => mysqlGuard({ source: to }).changeSource(connection, resource, change)),
    // A deadlock, and a lock wait timeout: the engine's own words for "repeat the transaction".
    isRetry: (error) => [1213, 1205].includes((error as { errno?: number }).errno ?? 0),
  };
}

describeGuard('MariaDB, REPEATABLE READ, with mysql2', () => subject(() => pools.mysql2, 'REPEATABLE READ'));
describeGuard('MariaDB, READ COMMITTED, with mysql2', () => subject(() => pools.mysql2, 'READ COMMITTED'));
describeGuard('MariaDB, SERIALIZABLE, with mysql2', () => subject(() => pools.mysql2, 'SERIALIZABLE'));
describeGuard('MariaDB, REPEATABLE READ, with mariadb', () => subject(() => pools.mariadb, 'REPEATABLE READ'));

describe.each(['mysql2', 'mariadb'] as const)('with %s', (driver) => {
  it('what is read after the fence is what the last holder has committed, although the transaction began before', async () => {
    const guard = mysqlGuard({ source: 'test' });
    const [late, early] = [await pools[driver].getConnection(), await pools[driver].getConnection()];
    const resource = `snapshot:${driver}`;
    await late.query('START TRANSACTION');
    await early.query('START TRANSACTION');
    await guard.fence(early, resource, 1n);
    await early.query('REPLACE INTO register VALUES (?, ?)', [resource, '["1"]']);
    await early.query('COMMIT');
    await guard.fence(late, resource, 2n);
    const row = firstRow(await late.query('SELECT tokens FROM register WHERE resource = ?', [resource]));
    expect(row?.tokens).toBe('["1"]');
    await late.query('COMMIT');
    late.release();
    early.release();
  });

  it('names of resources that differ only in case or trailing spaces are two resources', async () => {
    const guard = mysqlGuard({ source: 'test' });
    const connection = await pools[driver].getConnection();
    await connection.query('START TRANSACTION');
    await guard.fence(connection, `Account ${driver}`, 9n);
    await guard.fence(connection, `account ${driver}`, 1n);
    await guard.fence(connection, `account ${driver} `, 1n);
    await connection.query('ROLLBACK');
    connection.release();
  });

  it('a connection on which no transaction is open is refused', async () => {
    const guard = mysqlGuard({ source: 'test' });
    const connection = await pools[driver].getConnection();
    await expect(guard.fence(connection, `alone:${driver}`, 1n)).rejects.toThrow('BEGIN first');
    await connection.query('SET autocommit = 0'); // now each statement is in one
    await guard.fence(connection, `alone:${driver}`, 2n);
    await connection.query('ROLLBACK');
    await connection.query('SET autocommit = 1');
    connection.release();
  });

  it('a missing table is CONFIG, and says how to make it', async () => {
    const connection = await pools[driver].getConnection();
    await connection.query('START TRANSACTION');
    const guard = mysqlGuard({ source: 'test', table: 'nowhere' });
    await expect(guard.fence(connection, 'x', 1n)).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining('migrate --guard'),
    });
    await connection.query('ROLLBACK');
    connection.release();
  });

  it('a pool is refused, since each of its queries is a transaction of its own', async () => {
    const pool = pools[driver] as unknown as MysqlTransaction;
    await expect(mysqlGuard({ source: 'test' }).fence(pool, 'x', 1n)).rejects.toThrow('was given a pool');
  });
});
