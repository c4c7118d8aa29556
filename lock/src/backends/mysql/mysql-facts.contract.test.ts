import { setImmediate } from 'node:timers/promises';
import { createPool as createMariadbPool } from 'mariadb';
import type { Connection as CallbackConnection } from 'mysql2';
import { createPool, type Pool, type PoolOptions } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../contract/subject.ts';
import type { AcquireRequest } from '../../core/backend.ts';
import { createLocks } from '../../core/lock.ts';
import { request, soon } from '../../sql/test-support/requests.ts';
import { type MysqlBackend, type MysqlSessionBackend, mysqlBackend } from './index.ts';
import { type Cluster, startCluster } from './test-support/cluster.ts';
import { MysqlServer, product, urlOf } from './test-support/mysql-server.ts';

/** Gives a name and how many deadlocks the server has ended. */
const DEADLOCKS =
  product.name === 'mariadb'
    ? "SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'"
    : "SELECT name, count FROM information_schema.innodb_metrics WHERE name = 'lock_deadlocks'";

let server: MysqlServer;
beforeAll(async () => {
  server = await MysqlServer.start();
  await Promise.all([1, 2, 3].map(() => mysqlBackend(server.admin).createTables()));
}, 120_000);
afterAll(() => server.stop(), 60_000);

function open(): { backend: MysqlBackend; pool: ReturnType<MysqlServer['pool']> } {
  const pool = server.pool();
  const backend = mysqlBackend(pool);
  onTestFinished(async () => {
    await backend.close();
    await pool.end();
  });
  return { backend, pool };
}

function openSession(url = server.url): MysqlSessionBackend {
  const pool = createPool({ uri: url, connectTimeout: 5_000 });
  const backend = mysqlBackend(pool, { session: true });
  onTestFinished(async () => {
    await backend.close();
    await pool.end();
  });
  return backend;
}

/** Takes a lock, and gives the session that has it: the youngest. */
async function sessionOf(backend: MysqlSessionBackend, hold: AcquireRequest): Promise<number> {
  expect((await backend.tryAcquire(hold, soon())).outcome).toBe('granted');
  const [rows] = await server.admin.query(
    "SELECT id FROM information_schema.processlist WHERE command = 'Sleep' ORDER BY id DESC LIMIT 1",
  );
  return (rows as { id: number }[])[0]?.id as number;
}

describe(`lease rows on ${product.name}`, () => {
  it('a database without the tables is a CONFIG error that says how to make them', async () => {
    await server.admin.query('CREATE DATABASE IF NOT EXISTS untouched');
    const pool = createPool({ uri: urlOf(server.port).replace('/holdfast', '/untouched') });
    onTestFinished(() => pool.end());
    const backend = mysqlBackend(pool);
    await expect(backend.tryAcquire(request('x'), soon())).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining('createTables()'),
    });
    await backend.createTables();
    expect((await backend.tryAcquire(request('x'), soon())).outcome).toBe('granted');
  });

  it('tables that may not be made, or not with this password, are a LockError about no lock', async () => {
    await server.admin.query("CREATE USER IF NOT EXISTS visitor@'127.0.0.1' IDENTIFIED BY 'right'");
    await server.admin.query("GRANT SELECT ON holdfast.* TO visitor@'127.0.0.1'");
    for (const [password, remedy] of [
      ['right', 'needs CREATE'],
      ['wrong', 'Are name and password right'],
    ] as const) {
      const pool = createPool({ uri: urlOf(server.port), user: 'visitor', password });
      onTestFinished(() => pool.end());
      await expect(mysqlBackend(pool).createTables()).rejects.toMatchObject({
        name: 'LockError',
        code: 'ACCESS_DENIED',
        lockName: undefined,
        message: expect.stringContaining(remedy),
      });
    }
  });

  it('a step that the server ends because of a deadlock is done again, and nobody sees it', async () => {
    const { backend } = open();
    const [holder, waiter] = [request('knot'), request('knot')];
    await backend.tryAcquire(holder, soon());
    await backend.queue('enter', waiter, soon());
    const other = await server.admin.getConnection();
    try {
      const figure = async (sql: string): Promise<number> => {
        const [[row]] = (await server.admin.query({ sql, rowsAsArray: true })) as unknown as [[[string, string]]];
        return Number(row[1]);
      };
      const before = await figure(DEADLOCKS);
      await other.query('CREATE TEMPORARY TABLE heavy (n int) ENGINE=InnoDB');
      await other.query('START TRANSACTION');
      // The server ends the one that has changed less.
      await other.query(
        'INSERT INTO heavy WITH RECURSIVE seq (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM seq WHERE n < 1000) SELECT n FROM seq',
      );
      await other.query("SELECT * FROM holdfast_waiter WHERE name = 'knot' FOR UPDATE");
      const released = backend.release(holder, soon());
      await until(
        'the step that waits',
        async () => (await figure("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'")) > 0,
      );
      await other.query("SELECT * FROM holdfast_lock WHERE name = 'knot' FOR UPDATE");
      await other.query('COMMIT');
      expect(await released).toBe('released');
      expect(await figure(DEADLOCKS)).toBe(before + 1);
    } finally {
      other.destroy();
    }
    expect(await backend.queue('stay', waiter, soon())).toMatchObject({ outcome: 'granted' });
  });

  it.each(['mysql2', 'mariadb'])(
    'a session lock through %s is held by one, and comes free with its connection',
    async (driver) => {
      const openOne = (): MysqlSessionBackend => {
        if (driver === 'mysql2') return openSession();
        const pool = createMariadbPool(`${server.url.replace(/^mysql:/, 'mariadb:')}?connectionLimit=1`);
        const backend = mysqlBackend(pool, { session: true });
        onTestFinished(async () => {
          await backend.close();
          await pool.end();
        });
        return backend;
      };
      const holder = openOne();
      const [held, wanted] = [request(`session:${driver}`), request(`session:${driver}`)];
      const lost: string[] = [];
      holder.onLoss((owner, reason) => lost.push(`${owner} ${reason}`));
      const connection = await sessionOf(holder, held);
      const rival = openOne();
      expect((await rival.tryAcquire(wanted, soon())).outcome).toBe('busy');
      await server.admin.query(`KILL ${connection}`);
      await until('the lock', async () => (await rival.tryAcquire(wanted, soon())).outcome === 'granted');
      await until('the loss', () => lost.length > 0);
      expect(lost).toEqual([`${held.owner} disconnected`]);
    },
  );

  it('a thousand held locks are renewed by one statement', async () => {
    const { backend } = open();
    const holds = Array.from({ length: 1_000 }, (_, index) => request(`many:${index}`, 60_000));
    for (const hold of holds) await backend.tryAcquire(hold, soon());
    const calls = async (): Promise<number> => {
      const [rows] = await server.admin.query("SHOW GLOBAL STATUS LIKE 'Com_call_procedure'");
      return Number((rows as { Value: string }[])[0]?.Value);
    };
    const before = await calls();
    expect(new Set(await backend.renew(holds, soon()))).toEqual(new Set(['renewed']));
    expect((await calls()) - before).toBe(1);
  }, 60_000);

  it('a pool of the mariadb driver gives tokens with all their digits', async () => {
    const pool = createMariadbPool({ host: '127.0.0.1', port: server.port, user: 'root', database: 'holdfast' });
    onTestFinished(() => pool.end());
    await server.admin.query("INSERT INTO holdfast_lock (name, token) VALUES ('digits', 9007199254740993)");
    const granted = await mysqlBackend(pool).tryAcquire(request('digits'), soon());
    expect(granted).toMatchObject({ outcome: 'granted', fencingToken: 9007199254740994n });
  });
});

it('a pool that was told to give rows in another form gives locks all the same', async () => {
  for (const options of [{ nestTables: true }, { nestTables: '_' }, { rowsAsArray: true }] as const) {
    const pool = server.pool(options);
    onTestFinished(() => pool.end());
    const hold = request(`rows:${JSON.stringify(options)}`);
    expect((await mysqlBackend(pool).tryAcquire(hold, soon())).outcome).toBe('granted');
    const sessions = mysqlBackend(pool, { session: true });
    expect((await sessions.tryAcquire(hold, soon())).outcome).toBe('granted');
    await sessions.close();
  }
});

it('a server that logs statements is CONFIG, with the name of the setting', async () => {
  const logging = await MysqlServer.start(['--log-bin=log', '--server-id=1', '--binlog-format=STATEMENT']);
  onTestFinished(() => logging.stop());
  const backend = mysqlBackend(logging.admin);
  await backend.createTables();
  await expect(backend.tryAcquire(request('logged'), soon())).rejects.toMatchObject({
    code: 'CONFIG',
    message: expect.stringContaining('binlog_format'),
  });
}, 60_000);

/** A pool of one connection, on which `sql` is said first. */
function openAfter(sql: string, url = server.url): { backend: MysqlBackend; pool: Pool } {
  const pool = createPool({ uri: url, connectionLimit: 1 });
  pool.on('connection', (connection) => (connection as unknown as CallbackConnection).query(sql));
  const backend = mysqlBackend(pool);
  onTestFinished(async () => {
    await backend.close();
    await pool.end();
  });
  return { backend, pool };
}

describe('a pool that a program shares with its locks', () => {
  it('without autocommit hears of its turn as soon as others do, and leaves no transaction open', async () => {
    const holder = createLocks(open().backend, { ttlMs: 60_000 });
    const { backend } = openAfter('SET autocommit = 0');
    const waiting = createLocks(backend, { ttlMs: 60_000 }); // whoever misses the look waits for a heartbeat of 5 s
    const lease = await holder.lock('no-autocommit').acquire();
    const wait = waiting.lock('no-autocommit').acquire();
    await until('a waiter', async () => (await waiters()) === 1);
    await new Promise((resolve) => setTimeout(resolve, 300)); // some looks that find nothing
    const releasedAt = performance.now();
    await lease.release();
    const next = await wait;
    expect(performance.now() - releasedAt).toBeLessThan(2_500);
    expect((await backend.inspect('no-autocommit', soon())).holder?.owner).toBe(next.owner);
    const [left] = await server.admin.query('SELECT COUNT(*) AS n FROM information_schema.innodb_trx');
    expect(left).toEqual([{ n: 0 }]);
    await next.release();
  });

  it('and whose connection somebody has given back inside a transaction gets a lock, and commits nothing of it', async () => {
    const { backend, pool } = openAfter('SELECT 1');
    await server.admin.query('CREATE TABLE IF NOT EXISTS work (id int PRIMARY KEY)');
    const connection = await pool.getConnection();
    await connection.beginTransaction();
    await connection.query('INSERT INTO work VALUES (1)');
    connection.release();
    expect((await backend.tryAcquire(request('left-open'), soon())).outcome).toBe('granted');
    const [rows] = await server.admin.query('SELECT * FROM work');
    expect(rows).toEqual([]);
    expect((await open().backend.tryAcquire(request('left-open'), soon())).outcome).toBe('busy');
  });

  it.each(['CHAIN', 'RELEASE'])('and whose every COMMIT means one with %s locks all the same', async (type) => {
    const { backend } = openAfter(`SET completion_type = '${type}'`);
    const [held, waiting] = [request(type), request(type)];
    expect((await backend.tryAcquire(held, soon())).outcome).toBe('granted');
    expect((await backend.queue('enter', waiting, soon())).outcome).toBe('waiting');
    expect((await backend.inspect(type, soon())).waiters).toHaveLength(1);
    const granted = new Promise((resolve) => backend.listen(waiting, resolve));
    expect(await backend.release(held, soon())).toBe('released');
    expect(await granted).toMatchObject({ outcome: 'granted' });
    expect(await backend.renew([waiting], soon())).toEqual(['renewed']);
  });

  it('and that rewrites statements is CONFIG, with the name of the option', async () => {
    const pool = createPool({ uri: server.url, queryFormat: (sql: string) => sql } as PoolOptions);
    onTestFinished(() => pool.end());
    await expect(mysqlBackend(pool).tryAcquire(request('rewritten'), soon())).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining('queryFormat'),
    });
  });

  it('in a mode of SQL that knows another language makes the tables all the same, and keeps its mode', async () => {
    const mode = product.name === 'mariadb' ? 'ORACLE' : 'ANSI';
    await server.admin.query('CREATE DATABASE another_mode');
    const url = urlOf(server.port).replace('/holdfast', '/another_mode');
    const { backend, pool } = openAfter(`SET sql_mode = '${mode}'`, url);
    await backend.createTables();
    expect((await backend.tryAcquire(request('x'), soon())).outcome).toBe('granted');
    const [modes] = await pool.query('SELECT @@SESSION.sql_mode AS mode');
    expect((modes as { mode: string }[])[0]?.mode).toContain(mode);
  });
});

/** How many wait in the tables now. */
async function waiters(): Promise<number> {
  const [rows] = await server.admin.query("SELECT COUNT(*) AS n FROM holdfast_waiter WHERE name = 'no-autocommit'");
  return (rows as { n: number }[])[0]?.n as number;
}

describe('a cluster in which several servers take writes', () => {
  const cluster = product.name === 'mariadb' ? 'Galera' : 'several primaries';
  let nodes: Cluster;
  beforeAll(async () => {
    nodes = await startCluster();
  }, 120_000);
  afterAll(() => Promise.all(nodes.map((node) => node.stop())), 60_000);

  it('is refused for session locks, which hold on one node only', async () => {
    for (const { url } of nodes) {
      await expect(openSession(url).tryAcquire(request('x'), soon())).rejects.toMatchObject({
        code: 'CONFIG',
        message: expect.stringContaining(cluster),
      });
    }
    const pool = nodes[0].pool();
    const nodeLocal = mysqlBackend(pool, { session: true, nodeLocal: true });
    expect((await nodeLocal.tryAcquire(request('x'), soon())).outcome).toBe('granted');
    await nodeLocal.close();
    await pool.end();
  });

  it('gives a lease row to one at a time, with tokens that grow, whichever server is asked', async () => {
    const pools = nodes.map((node) => node.pool());
    onTestFinished(async () => {
      for (const pool of pools) await pool.end();
    });
    await mysqlBackend(pools[0] as Pool).createTables();
    await until('the procedures on the other', async () => {
      const [rows] = await nodes[1].admin.query("SHOW PROCEDURE STATUS WHERE name = 'holdfast_handed_over_1'");
      return (rows as unknown[]).length === 1;
    });
    const tokens: bigint[] = [];
    let holders = 0;
    const locks = pools.map((pool) => createLocks(mysqlBackend(pool)).lock('shared'));
    const turns = async (lock: (typeof locks)[number]): Promise<void> => {
      for (let turn = 0; turn < 10; turn++) {
        const lease = await lock.acquire({ waitMs: 30_000 });
        expect(++holders).toBe(1);
        tokens.push(lease.fencingToken);
        await setImmediate();
        holders--;
        await lease.release();
      }
    };
    await Promise.all([...locks, ...locks].map(turns));
    expect(tokens).toHaveLength(40);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => (a < b ? -1 : 1)));
  }, 60_000);
});

describe('session locks', () => {
  it('names that differ only in case are two locks, although GET_LOCK knows no case', async () => {
    const [one, two] = [openSession(), openSession()];
    expect((await one.tryAcquire(request('Job'), soon())).outcome).toBe('granted');
    expect((await two.tryAcquire(request('job'), soon())).outcome).toBe('granted');
    expect((await two.tryAcquire(request('Job'), soon())).outcome).toBe('busy');
  });

  it('a session that is killed by the server is lost at once, and its holder is told', async () => {
    const locks = createLocks(openSession());
    onTestFinished(() => locks.close());
    const lease = await locks.lock('killed').acquire();
    const lost = new Promise<number>((resolve) => {
      lease.signal.addEventListener('abort', () => resolve(performance.now()));
    });
    const [rows] = await server.admin.query(
      "SELECT id FROM information_schema.processlist WHERE command = 'Sleep' AND id <> CONNECTION_ID() ORDER BY id DESC",
    );
    const killedAt = performance.now();
    for (const { id } of rows as { id: number }[]) {
      // One of these is the session of the lock; the others belong to pools, which make new ones.
      await server.admin.query(`KILL ${id}`).catch(() => undefined);
    }
    expect((await lost) - killedAt).toBeLessThan(1_000);
    expect(lease.state).toBe('lost');
  });

  it('end when their server becomes read-only, since the one that replaces it gives them to others', async () => {
    const locks = createLocks(openSession());
    const rival = openSession();
    onTestFinished(() => locks.close());
    const lease = await locks.lock('replaced').acquire();
    const lost = new Promise<void>((resolve) => {
      lease.signal.addEventListener('abort', () => resolve());
    });
    await server.admin.query('SET GLOBAL read_only = 1');
    onTestFinished(() => server.admin.query('SET GLOBAL read_only = 0').then(() => undefined));
    await lost;
    expect(lease.signal.reason).toMatchObject({ code: 'LOST', reason: 'disconnected' });
    await expect(rival.tryAcquire(request('replaced'), soon())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('read-only'),
    });
    const pool = server.pool();
    onTestFinished(() => pool.end());
    const nodeLocal = mysqlBackend(pool, { session: true, nodeLocal: true });
    onTestFinished(() => nodeLocal.close());
    expect((await nodeLocal.tryAcquire(request('replaced'), soon())).outcome).toBe('granted');
  });

  it('NULL is an error and not a lock that somebody has, and what was perhaps taken is given back', async () => {
    const pool = server.pool();
    const answer = { expression: 'NULLIF(GET_LOCK(?, 0), 1)' }; // the server takes the lock and answers NULL
    pool.on('connection', (connection) => {
      const raw = connection as unknown as { query: (options: { sql: string }, ...more: unknown[]) => unknown };
      const query = raw.query.bind(connection);
      raw.query = (options, ...more) =>
        query({ ...options, sql: options.sql.replace('GET_LOCK(?, 0)', answer.expression) }, ...more);
    });
    const backend = mysqlBackend(pool, { session: true });
    onTestFinished(async () => {
      await backend.close();
      await pool.end();
    });
    await expect(backend.tryAcquire(request('null'), soon())).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      message: expect.stringContaining('NULL'),
    });
    const rival = openSession();
    await until('the lock', async () => (await rival.tryAcquire(request('null'), soon())).outcome === 'granted');
    answer.expression = 'GET_LOCK(?, 0)';
    expect((await backend.tryAcquire(request('null'), soon())).outcome).toBe('busy');
    expect((await backend.tryAcquire(request('another'), soon())).outcome).toBe('granted');
  });

  it('a lock that its session does not have any more is LOST when it is released', async () => {
    const pool = server.pool();
    const connections: CallbackConnection[] = [];
    pool.on('connection', (connection) => connections.push(connection as unknown as CallbackConnection));
    onTestFinished(() => pool.end());
    const locks = createLocks(mysqlBackend(pool, { session: true }));
    onTestFinished(() => locks.close());
    const lease = await locks.lock('gone').acquire();
    expect(connections).toHaveLength(1);
    await new Promise((resolve) => connections[0]?.query('SELECT RELEASE_ALL_LOCKS()', resolve));
    await expect(lease.release()).rejects.toMatchObject({ code: 'LOST', lockName: 'gone' });
  });

  it('KILL QUERY costs a question, and neither the lock nor the process', async () => {
    const backend = openSession();
    const hold = request('interrupted');
    const id = await sessionOf(backend, hold);
    for (let round = 0; round < 20; round++) {
      const asked = backend.tryAcquire(request(`other:${round}`), soon()).catch((error: unknown) => error);
      await server.admin.query(`KILL QUERY ${id}`).catch(() => undefined);
      await asked;
    }
    // The last one may have come too late for its question, and then interrupts this one.
    const [answer] = await backend.renew([hold]);
    const [next] = answer === 'unknown' ? await backend.renew([hold]) : [answer];
    expect(next).toMatchObject({ outcome: 'renewed' });
    expect(await backend.release(hold)).toBe('released');
  });

  it('an idle limit and a statement limit of the server do not end a holder that is silent', async () => {
    const [limit, shortest] = product.name === 'mariadb' ? ['max_statement_time', 0.5] : ['max_execution_time', 500];
    await server.admin.query(`SET GLOBAL wait_timeout = 1, GLOBAL ${limit} = ${shortest}`);
    onTestFinished(async () => {
      await server.admin.query(`SET GLOBAL wait_timeout = 28800, GLOBAL ${limit} = 0`);
    });
    const locks = createLocks(openSession(), { renew: false });
    onTestFinished(() => locks.close());
    const lease = await locks.lock('silent').acquire();
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(lease.state).toBe('held');
    await lease.release();
  });
});
