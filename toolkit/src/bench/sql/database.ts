/**
 * A database as the benchmark uses it: Holdfast's locks on it, the bare statements that they are held against, and a
 * count of what goes over the wire.
 *
 * @module
 */
import type { Backend, Fences, Inspects } from 'holdfast';
import { mysqlBackend } from 'holdfast/mysql';
import { postgresBackend } from 'holdfast/postgres';
import { createPool, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';

/** One acquire and one release, or what stands for them. */
export type Pair = () => Promise<unknown>;

/** A row of this name by hand. */
export interface BareRow {
  acquire(name: string, ttlMs: number): Promise<unknown>;
  extend(name: string, ttlMs: number): Promise<unknown>;
  release(name: string): Promise<unknown>;
}

/** A pool with a backend object on it, as one process has them. */
export interface Client {
  readonly backend: Backend & Fences & Inspects;
  readonly session: Backend;
  /** The same work by hand: a row with an owner and an expiry, and the database's own session lock. */
  readonly bareRow: BareRow;
  readonly bareSession: Pair;
  /** How many connections of the pool are in use now. */
  inUse(): number;
  close(): Promise<void>;
}

export interface Database {
  readonly name: 'postgres' | 'mysql';
  open(): Promise<Client>;
  /** How many statements the server has taken so far, from everybody. */
  statements(): Promise<number>;
  /**
   * From a notification that is sent to its listener, over another pair of connections each time, as a lock goes from one
   * client to another; undefined where a database pushes nothing.
   */
  readonly notifyMs: (() => Promise<number>) | undefined;
  close(): Promise<void>;
}

const ROW = 'bench_row';

/** As many as there are clients in a hand-over. */
const CONNECTIONS = 10;

function connections(url: string): Promise<pg.Client[]> {
  return Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const client = new pg.Client(url);
      await client.connect();
      return client;
    }),
  );
}

export async function openPostgres(url: string): Promise<Database> {
  let sent = 0;
  const [listening, notifying] = [await connections(url), await connections(url)];
  for (const [index, client] of listening.entries()) await client.query(`LISTEN bench_${index}`);
  const admin = notifying[0] as pg.Client;
  let turn = 0;
  await admin.query(
    `CREATE TABLE IF NOT EXISTS ${ROW} (name text PRIMARY KEY, owner text, token bigint NOT NULL, ends_at timestamptz)`,
  );
  /** Counted here, at the driver: the server writes its own counts down once a second. */
  class Counted extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: the driver's own declaration has a dozen forms
    override query(...args: any[]): any {
      sent++;
      // biome-ignore lint/suspicious/noExplicitAny: as above
      return (super.query as any)(...args);
    }
  }
  return {
    name: 'postgres',
    statements: async () => sent,
    async notifyMs() {
      const index = turn++ % CONNECTIONS;
      const heard = new Promise<void>((resolve) => listening[index]?.once('notification', () => resolve()));
      const startedAt = performance.now();
      await notifying[index]?.query(`SELECT pg_notify('bench_${index}', '')`);
      await heard;
      return performance.now() - startedAt;
    },
    async open() {
      const pool = new pg.Pool({ connectionString: url, max: 10, Client: Counted });
      pool.on('error', () => {});
      const backend = postgresBackend(pool);
      await backend.createTables();
      const session = postgresBackend(pool, { session: true });
      const pinned = await pool.connect();
      return {
        backend,
        session,
        bareRow: {
          acquire: (name, ttlMs) =>
            pool.query(
              `INSERT INTO ${ROW} VALUES ($1, $2, 1, clock_timestamp() + $3 * interval '1 ms') ON CONFLICT (name) DO UPDATE
             SET owner = $2, token = ${ROW}.token + 1, ends_at = excluded.ends_at
             WHERE ${ROW}.owner IS NULL OR ${ROW}.ends_at < clock_timestamp() RETURNING token`,
              [name, 'me', ttlMs],
            ),
          extend: (name, ttlMs) =>
            pool.query(
              `UPDATE ${ROW} SET ends_at = clock_timestamp() + $3 * interval '1 ms' WHERE name = $1 AND owner = $2`,
              [name, 'me', ttlMs],
            ),
          release: (name) => pool.query(`UPDATE ${ROW} SET owner = NULL WHERE name = $1 AND owner = $2`, [name, 'me']),
        },
        async bareSession() {
          await pinned.query('SELECT pg_try_advisory_lock($1::bigint)', ['4242']);
          await pinned.query('SELECT pg_advisory_unlock($1::bigint)', ['4242']);
        },
        inUse: () => pool.totalCount - pool.idleCount - 1,
        async close() {
          await Promise.all([backend.close(), session.close()]);
          pinned.release();
          await pool.end();
        },
      };
    },
    async close() {
      await Promise.all([...listening, ...notifying].map((client) => client.end()));
    },
  };
}

export async function openMysql(url: string): Promise<Database> {
  const admin = createPool({ uri: url, connectionLimit: 1 });
  await admin.query(
    `CREATE TABLE IF NOT EXISTS ${ROW} (name varchar(255) PRIMARY KEY, owner varchar(255), token bigint NOT NULL, ends_at datetime(6)) ENGINE = InnoDB`,
  );
  return {
    name: 'mysql',
    notifyMs: undefined,
    async statements() {
      const [rows] = await admin.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Questions'");
      return Number(rows[0]?.Value);
    },
    async open() {
      const pool = createPool({ uri: url, connectionLimit: 10 });
      let used = 0;
      pool.on('acquire', () => used++);
      pool.on('release', () => used--);
      const backend = mysqlBackend(pool);
      await backend.createTables();
      const session = mysqlBackend(pool, { session: true });
      const pinned = await pool.getConnection();
      return {
        backend,
        session,
        bareRow: {
          acquire: (name, ttlMs) =>
            pool.query(
              `INSERT INTO ${ROW} VALUES (?, ?, 1, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND) ON DUPLICATE KEY UPDATE
             token = token + 1, owner = VALUES(owner), ends_at = VALUES(ends_at)`,
              [name, 'me', ttlMs * 1_000],
            ),
          extend: (name, ttlMs) =>
            pool.query(
              `UPDATE ${ROW} SET ends_at = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND WHERE name = ? AND owner = ?`,
              [ttlMs * 1_000, name, 'me'],
            ),
          release: (name) => pool.query(`UPDATE ${ROW} SET owner = NULL WHERE name = ? AND owner = ?`, [name, 'me']),
        },
        async bareSession() {
          await pinned.query('SELECT GET_LOCK(?, 0)', ['bench']);
          await pinned.query('SELECT RELEASE_LOCK(?)', ['bench']);
        },
        inUse: () => used - 1,
        async close() {
          await Promise.all([backend.close(), session.close()]);
          pinned.release();
          await pool.end();
        },
      };
    },
    close: () => admin.end(),
  };
}
