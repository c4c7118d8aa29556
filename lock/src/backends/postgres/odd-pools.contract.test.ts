/**
 * What the rest of a program may do to the pool that it shares with its locks.
 *
 * @module
 */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { FencedLease } from '../../core/lease.ts';
import { createLocks, type Locks } from '../../core/lock.ts';
import { postgresBackend } from './index.ts';
import { PostgresServer } from './test-support/postgres-server.ts';

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
  await postgresBackend(server.admin).createTables();
});
afterAll(() => server.stop());

/** Locks on a pool of one connection, so that whatever happens to that connection meets them. */
function open(url = server.url): { locks: Locks<FencedLease>; pool: pg.Pool } {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const locks = createLocks(postgresBackend(pool), { ttlMs: 10_000 });
  onTestFinished(async () => {
    await locks.close();
    await pool.end();
  });
  return { locks, pool };
}

/** A driver of `pg` from before it could say whether a transaction is open. */
function withoutStatus(pool: pg.Pool): void {
  pool.on('connect', (connection) => Object.assign(connection, { getTransactionStatus: undefined }));
}

describe('a connection that was given back to the pool', () => {
  it.for(['a driver that says so', 'an older driver'])(
    'inside a transaction gives no lock that is undone with it: %s',
    async (driver) => {
      const pool = new pg.Pool({ connectionString: server.url, max: 1 });
      if (driver === 'an older driver') withoutStatus(pool);
      const locks = createLocks(postgresBackend(pool), { ttlMs: 10_000 });
      await locks.lock('left-open').run(() => undefined);
      const connection = await pool.connect();
      await connection.query('BEGIN');
      connection.release();
      const lease = await locks.lock('left-open').acquire();
      await pool.query('ROLLBACK');
      expect(await open().locks.lock('left-open').tryAcquire()).toBeNull();
      await lease.release();
      await locks.close();
      await pool.end();
    },
  );

  it('with a BEGIN that is still under way gives no such lock, either', async () => {
    const { locks, pool } = open();
    const connection = await pool.connect();
    const began = connection.query('BEGIN');
    connection.release();
    const lease = await locks.lock('under-way').acquire();
    await began;
    await pool.query('ROLLBACK');
    expect(await open().locks.lock('under-way').tryAcquire()).toBeNull();
    await lease.release();
  });

  it.for(['a lease row', 'a session lock'])('inside a transaction that has failed costs no lock: %s', async (kind) => {
    const { locks, pool } = open();
    const session = createLocks(postgresBackend(pool, { session: true }));
    onTestFinished(() => session.close());
    const connection = await pool.connect();
    await connection.query('BEGIN');
    await expect(connection.query('SELECT 1 / 0')).rejects.toThrow('division by zero');
    connection.release();
    const lease = await (kind === 'a lease row' ? locks : session).lock('failed').acquire({ waitMs: 2_000 });
    await lease.release();
  });
});

describe('a pool', () => {
  it('has no more listeners with a dozen backends than with one', async () => {
    const { pool } = open();
    const counts = (): number[] => ['error', 'connect'].map((event) => pool.listenerCount(event));
    const before = counts();
    const backends = Array.from({ length: 12 }, () => postgresBackend(pool));
    expect(counts()).toEqual(before);
    await Promise.all(backends.map((backend) => backend.close()));
    expect(counts()).toEqual(before); // those of the first
  });
});

describe('a client', () => {
  it('that is one connection and no pool is refused, with what to hand in', async () => {
    const client = new pg.Client(server.url);
    expect(() => postgresBackend(client)).toThrow(/new pg\.Pool\(\{ max: 1 \}\)/);
    const { pool } = open();
    const connection = await pool.connect();
    expect(() => postgresBackend(connection)).toThrow(TypeError);
    connection.release();
  });
});

describe('a database', () => {
  it('whose encoding lacks a character of the name says so at once', async () => {
    await server.admin.query("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
    const { locks, pool } = open(new URL('/latin', server.url).href);
    await postgresBackend(pool).createTables();
    await expect(locks.lock('コーヒー').acquire()).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining('UTF8'),
    });
    await locks.lock('café').run(() => undefined);
  });

  it('whose functions were made without the schema that is asked for says so at once', async () => {
    const pool = new pg.Pool({ connectionString: server.url, max: 1, options: '-c search_path=' });
    const locks = createLocks(postgresBackend(pool, { schema: 'public' }));
    await expect(locks.lock('x').acquire()).rejects.toMatchObject({ code: 'CONFIG' });
    await locks.close();
    await pool.end();
  });
});
