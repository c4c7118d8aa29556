import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Pool, type PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Relay } from '../../contract/relay.ts';
import { Instant, systemClock } from '../../core/clock.ts';
import { createLocks } from '../../core/lock.ts';
import { request, soon } from '../../sql/test-support/requests.ts';
import { type PostgresBackend, postgresBackend } from './index.ts';
import { advisoryKey } from './lock-key.ts';
import { PgBouncer } from './test-support/pgbouncer.ts';
import { PostgresServer } from './test-support/postgres-server.ts';

const FORGETTER = fileURLToPath(new URL('./test-support/forgetter.mjs', import.meta.url));

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
  await Promise.all([1, 2, 3].map(() => postgresBackend(server.admin, { listen: false }).createTables()));
}, 60_000);
afterAll(() => server.stop(), 60_000);

function open(options: Parameters<PostgresServer['pool']>[0] = {}): {
  backend: PostgresBackend;
  pool: ReturnType<PostgresServer['pool']>;
} {
  // A thousand requests at once stand in line for ten connections: on a slow machine for longer than the usual 5 s.
  const pool = server.pool({ connectionTimeoutMillis: 60_000, ...options });
  const backend = postgresBackend(pool);
  onTestFinished(async () => {
    await backend.close();
    await pool.end();
  });
  return { backend, pool };
}

async function until(condition: () => Promise<boolean> | boolean, limitMs = 10_000): Promise<void> {
  const giveUpAt = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > giveUpAt) throw new Error(`the condition did not come true within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('PostgreSQL', () => {
  it('a database without the tables is a CONFIG error that says how to make them', async () => {
    await server.admin.query('CREATE SCHEMA empty');
    const { pool } = open();
    const backend = postgresBackend(pool, { schema: 'empty' });
    await expect(backend.tryAcquire(request('x'), soon())).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining('createTables()'),
    });
    await backend.createTables();
    expect((await backend.tryAcquire(request('x'), soon())).outcome).toBe('granted');
  });

  it('tables that may not be made, or not by this name, are a LockError about no lock', async () => {
    await server.admin.query(
      'CREATE ROLE visitor LOGIN; CREATE SCHEMA closed; GRANT USAGE ON SCHEMA closed TO visitor',
    );
    for (const [part, code, remedy] of [
      [{ username: 'visitor' }, 'ACCESS_DENIED', 'needs CREATE'],
      [{ username: 'nobody_here' }, 'ACCESS_DENIED', 'Are name and password right'],
      [{ pathname: '/nowhere' }, 'CONFIG', 'name of the database'],
    ] as const) {
      const url: URL = new URL(server.url);
      Object.assign(url, part);
      const pool = server.pool({ connectionString: url.href });
      onTestFinished(() => pool.end());
      const failed = expect(postgresBackend(pool, { listen: false, schema: 'closed' }).createTables()).rejects;
      await failed.toMatchObject({
        name: 'LockError',
        code,
        lockName: undefined,
        message: expect.stringContaining(remedy),
      });
    }
  });

  it('a thousand held locks are renewed by one statement', async () => {
    const { backend, pool } = open();
    const holds = Array.from({ length: 1_000 }, (_, index) => request(`many:${index}`));
    await Promise.all(holds.map((hold) => backend.tryAcquire(hold, soon())));
    const { statements, stop } = countStatements(pool);
    expect(new Set(await backend.renew(holds, soon()))).toEqual(new Set(['renewed']));
    stop();
    expect(statements()).toBe(1);
  });

  it('a thousand waiters use no connection but the one that listens', async () => {
    const { backend, pool } = open();
    const options = { ttlMs: 60_000, callMs: 30_000 }; // a thousand at once wait for ten connections
    const locks = createLocks(backend, options);
    const holder = createLocks(open().backend, options);
    const names = Array.from({ length: 1_000 }, (_, index) => `idle:${index}`);
    const held = await Promise.all(names.map((name) => holder.lock(name).acquire()));
    const waits = names.map(async (name) => (await locks.lock(name).acquire({ waitMs: 60_000 })).release());
    const waiters = async (): Promise<number> => {
      const { rows } = await server.admin.query(
        "SELECT count(*)::int AS n FROM holdfast_waiter WHERE name LIKE 'idle:%'",
      );
      return rows[0].n;
    };
    await until(async () => (await waiters()) === 1_000);
    await until(() => pool.totalCount - pool.idleCount <= 2);
    await Promise.all(held.map((lease) => lease.release()));
    await Promise.all(waits);
  }, 60_000);

  it.each([
    ['row', 'nothing', 'waited BUSY\nheld\n'],
    ['row', 'pool.end', 'waited BUSY\nheld\nthe pool has ended\n'],
    ['session', 'nothing', 'waited BUSY\nheld\n'],
  ] as const)('a program that forgets the lease of a %s comes to its end, after %s', async (kind, end, says) => {
    const { pool } = open();
    const locks = createLocks(kind === 'session' ? postgresBackend(pool, { session: true }) : postgresBackend(pool));
    onTestFinished(() => locks.close());
    await locks.lock('busy').acquire();
    const args = [FORGETTER, server.url, kind, end];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    const [status] = await once(child, 'close');
    expect([status, said]).toEqual([0, says]);
  });

  it('a step that PostgreSQL ends because of a deadlock is done again, and nobody sees it', async () => {
    const { backend } = open();
    const [holder, waiter] = [request('knot'), request('knot')];
    await backend.tryAcquire(holder, soon());
    await backend.queue('enter', waiter, soon());
    const other = await server.admin.connect();
    try {
      const deadlocks = async (): Promise<number> =>
        Number((await server.admin.query('SELECT sum(deadlocks) AS n FROM pg_stat_database')).rows[0].n);
      const before = await deadlocks();
      await other.query("SET deadlock_timeout = '60s'"); // so that the step finds it, and is the one that is ended
      await other.query('BEGIN');
      await other.query("SELECT FROM holdfast_waiter WHERE name = 'knot' FOR UPDATE");
      const released = backend.release(holder, soon());
      await until(async () => (await server.admin.query('SELECT FROM pg_locks WHERE NOT granted')).rows.length > 0);
      // The step waits for us, and now we for the step.
      await other.query("SELECT FROM holdfast_lock WHERE name = 'knot' FOR UPDATE");
      await other.query('COMMIT');
      expect(await released).toBe('released');
      await until(async () => (await deadlocks()) === before + 1);
    } finally {
      other.release(true);
    }
    expect(await backend.queue('stay', waiter, soon())).toMatchObject({ outcome: 'granted' });
  });

  it('a dozen backends of one process that listen are no leak of listeners', async () => {
    const before = process.listenerCount('beforeExit');
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        const { backend, pool } = open({ max: 2 });
        backend.listen(request('a dozen'), () => undefined);
        await until(() => pool.totalCount === 1 && pool.idleCount === 0);
        await until(() => process.listenerCount('beforeExit') > before);
      }),
    );
    expect(process.listenerCount('beforeExit')).toBe(before + 1);
  });

  it('a release without a waiter notifies nobody, and one with a waiter notifies once', async () => {
    const { backend } = open();
    const [holder, waiter, last] = [request('news'), request('news'), request('news')];
    const pushed: unknown[] = [];
    const stop = backend.listen(waiter, (granted) => pushed.push(granted));
    await backend.tryAcquire(holder, soon());
    await backend.queue('enter', waiter, soon());
    await until(
      async () =>
        (await server.admin.query("SELECT FROM pg_stat_activity WHERE query LIKE 'LISTEN%' OR query = 'SELECT'")).rows
          .length > 0,
    );
    await backend.release(holder, soon());
    await until(() => pushed.length > 0);
    expect(pushed[0]).toMatchObject({ outcome: 'granted', fencingToken: 2n });
    stop();
    await backend.release(waiter, soon());
    await backend.tryAcquire(last, soon());
    await backend.release(last, soon());
    expect(pushed).toHaveLength(1);
  });

  it.for(['repeatable read', 'serializable'])(
    'a database whose default isolation is %s loses no wake-up, and shows no serialization failure',
    { timeout: 60_000 },
    async (isolation) => {
      const options = `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`;
      const all = Array.from({ length: 4 }, () => createLocks(open({ options }).backend, { ttlMs: 5_000 }));
      let inside = 0;
      let most = 0;
      const rounds = all.flatMap((locks) =>
        Array.from({ length: 15 }, () =>
          locks.lock(`isolated:${isolation}`).run(
            async () => {
              most = Math.max(most, ++inside);
              await new Promise((resolve) => setImmediate(resolve));
              inside--;
            },
            { waitMs: 30_000 },
          ),
        ),
      );
      await Promise.all(rounds);
      expect(most).toBe(1);
      await Promise.all(all.map((locks) => locks.close()));
    },
  );

  it('a lease that is lost since bodies have taken all connections of the pool says so', async () => {
    const { backend, pool } = open({ max: 1 });
    const locks = createLocks(backend, { ttlMs: 1_000 });
    const lease = await locks.lock('starved').acquire();
    const lost = new Promise<void>((resolve) => {
      lease.signal.addEventListener('abort', () => resolve());
    });
    const taken = await pool.connect();
    await lost;
    expect((lease.signal.reason as Error).message).toContain('the pool has none to spare');
    taken.release();
    await locks.close();
  });

  it('bodies that take all connections of the pool keep no renewal back: one is our own', async () => {
    const { backend, pool } = open({ max: 3 });
    const hold = request('kept');
    onTestFinished(backend.listen(hold, () => undefined));
    await backend.tryAcquire(hold, soon());
    const listening = "SELECT FROM pg_stat_activity WHERE query LIKE 'LISTEN%'";
    await until(async () => (await server.admin.query(listening)).rows.length > 0);
    const taken = await Promise.all([pool.connect(), pool.connect()]);
    const deadline = (): Instant => Instant.plus(systemClock.now(), 4_000);
    expect(await backend.renew([hold], deadline())).toEqual(['renewed']);
    expect(await backend.release(hold, deadline())).toBe('released');
    for (const connection of taken) connection.release();
  });

  it('connections that the server ends, all at once, cost neither the lease nor the process', async () => {
    const locks = createLocks(open().backend, { ttlMs: 3_000 });
    const rival = createLocks(open().backend, { ttlMs: 3_000 });
    const lease = await locks.lock('ended').acquire();
    const waiting = rival.lock('ended').acquire({ waitMs: 20_000 });
    for (let round = 0; round < 3; round++) {
      await server.admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
      );
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(lease.state).not.toBe('lost');
    await lease.release();
    await (await waiting).release();
    await Promise.all([locks.close(), rival.close()]);
  }, 60_000);
});

describe('a standby', () => {
  let standby: PostgresServer;
  beforeAll(async () => {
    standby = await PostgresServer.standbyOf(server);
  }, 60_000);
  afterAll(() => standby.stop(), 60_000);

  it('gives advisory locks that the primary has given to others, so session locks refuse it', async () => {
    const primaryPool = server.pool();
    const pool = standby.pool({ max: 2 });
    onTestFinished(() => Promise.all([primaryPool.end(), pool.end()]).then(() => undefined));
    const [backend, refused] = [primaryPool, pool].map((each) => postgresBackend(each, { session: true }));
    onTestFinished(() => Promise.all([backend?.close(), refused?.close()]).then(() => undefined));
    expect((await backend?.tryAcquire(request('twice'), soon()))?.outcome).toBe('granted');
    await expect(refused?.tryAcquire(request('twice'), soon())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('standby'),
    });
    const naive = await pool.query('SELECT pg_try_advisory_lock($1::bigint) AS got', [advisoryKey('', 'twice')]);
    expect(naive.rows[0].got).toBe(true);
  });

  it('that a pool has connections to is left, so that the next ones lead to the primary', async () => {
    const relay = await Relay.start(standby.port);
    onTestFinished(() => relay.close());
    const { backend, pool } = open({ connectionString: server.urlAt(relay.port), max: 3 });
    await Promise.all([1, 2, 3].map(() => pool.query('SELECT pg_sleep(0.05)')));
    expect(pool.idleCount).toBe(3);
    await expect(backend.tryAcquire(request('moved'), soon())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    relay.switchTo(server.port); // the connections that are there stay, and nothing is wrong with them
    const locks = createLocks(backend);
    await (await locks.lock('moved').acquire()).release();
    await locks.close();
  });
});

describe('session locks', () => {
  it('behind a transaction pooler are refused, and behind one in session mode work where that is said', async () => {
    const transaction = await PgBouncer.start(server, { mode: 'transaction', poolSize: 2 });
    onTestFinished(() => transaction.stop());
    const session = await PgBouncer.start(server, { mode: 'session', poolSize: 10 });
    onTestFinished(() => session.stop());
    const pools = [transaction, session].map(({ url }) => server.pool({ connectionString: url }));
    onTestFinished(() => Promise.all(pools.map((pool) => pool.end())).then(() => undefined));
    const [pooled, whole] = pools as [(typeof pools)[0], (typeof pools)[0]];
    const refused = postgresBackend(pooled, { session: true });
    await expect(refused.tryAcquire(request('p'), soon())).rejects.toMatchObject({ code: 'CONFIG' });
    const backend = postgresBackend(whole, { session: true, sessionPooler: true });
    const hold = request('p');
    expect((await backend.tryAcquire(hold, soon())).outcome).toBe('granted');
    expect(await backend.release(hold)).toBe('released');
    await backend.close();
    await refused.close();
    expect((await server.admin.query("SELECT FROM pg_locks WHERE locktype = 'advisory'")).rows).toHaveLength(0);
  }, 60_000);

  it('a naive session lock through that pooler is granted several times: what is refused here, and why', async () => {
    const pooler = await PgBouncer.start(server, { mode: 'transaction', poolSize: 1 });
    onTestFinished(() => pooler.stop());
    const pool = server.pool({ connectionString: pooler.url, max: 4 });
    const clients = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
    const answers: boolean[] = [];
    for (const client of clients)
      answers.push((await client.query('SELECT pg_try_advisory_lock(4242) AS got')).rows[0].got);
    expect(answers.filter(Boolean).length).toBeGreaterThan(1);
    for (const client of clients) client.release(true);
    await pool.end();
  });

  it('a session that is ended by the server is lost at once, and its holder is told', async () => {
    const pool = server.pool();
    onTestFinished(() => pool.end());
    const locks = createLocks(postgresBackend(pool, { session: true }));
    const lease = await locks.lock('cut').acquire();
    const lost = new Promise<number>((resolve) => {
      lease.signal.addEventListener('abort', () => resolve(performance.now()));
    });
    const endedAt = performance.now();
    await server.admin.query("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'");
    expect((await lost) - endedAt).toBeLessThan(1_000);
    expect(lease.state).toBe('lost');
    await locks.close();
  });

  it('that their session does not have any more are LOST when they are released', async () => {
    const pool = server.pool();
    const clients: PoolClient[] = [];
    pool.on('connect', (client) => clients.push(client));
    onTestFinished(() => pool.end());
    const locks = createLocks(postgresBackend(pool, { session: true }));
    onTestFinished(() => locks.close());
    const lease = await locks.lock('gone').acquire();
    expect(clients).toHaveLength(1);
    await clients[0]?.query('SELECT pg_advisory_unlock_all()');
    await expect(lease.release()).rejects.toMatchObject({ code: 'LOST', lockName: 'gone' });
  });

  it('lose their lease and not the process when the server ends all connections, idle ones of the pool as well', async () => {
    const pool = new Pool({ connectionString: server.url });
    onTestFinished(() => pool.end());
    const locks = createLocks(postgresBackend(pool, { session: true }));
    onTestFinished(() => locks.close());
    const lease = await locks.lock('all-ended').acquire();
    await Promise.all([1, 2, 3].map(() => pool.query('SELECT pg_sleep(0.05)')));
    expect(pool.idleCount).toBeGreaterThan(0);
    await server.admin.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL',
    );
    await until(() => lease.state === 'lost' && pool.idleCount === 0);
  });

  it('idle_session_timeout does not end a holder that is silent', async () => {
    await server.admin.query("CREATE ROLE hasty LOGIN; ALTER ROLE hasty SET idle_session_timeout = '500ms'");
    const pool = server.pool({ connectionString: server.url.replace('postgres@', 'hasty@') });
    onTestFinished(() => pool.end());
    const locks = createLocks(postgresBackend(pool, { session: true }), { renew: false });
    const lease = await locks.lock('silent').acquire();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(lease.state).toBe('held');
    await lease.release();
    await locks.close();
  });

  it('200,000 names have 200,000 keys', () => {
    const keys = new Set(Array.from({ length: 200_000 }, (_, index) => advisoryKey('', `job:${index}`)));
    expect(keys.size).toBe(200_000);
    for (const key of [...keys].slice(0, 1_000)) expect(BigInt.asIntN(64, BigInt(key))).toBe(BigInt(key));
  });
});

/** Counts what goes over the connections of a pool. */
function countStatements(pool: ReturnType<PostgresServer['pool']>): { statements: () => number; stop: () => void } {
  let count = 0;
  const connect = pool.connect.bind(pool) as () => Promise<unknown>;
  const counted = (): Promise<unknown> => {
    count++;
    return connect();
  };
  Object.assign(pool, { connect: counted });
  return { statements: () => count, stop: () => Object.assign(pool, { connect }) };
}
