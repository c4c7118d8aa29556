import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';
import { keptByHand } from '../held-subjects.ts';
import { type Database, openMysql, openPostgres } from '../sql/database.ts';
import { ofBackend } from './ours.ts';
import { type BenchSubject, type OpenOptions, openEach, type SubjectKind, TTL_MS, WAIT_MS } from './subject.ts';

/**
 * A row with an owner and an expiry; a line is that of the database's own session locks, where each waiter keeps a
 * connection busy that waits.
 */
export const postgres: SubjectKind = {
  ours: (options) => ours(openPostgres, options),
  async raw(options) {
    const admin = new pg.Client(options.url);
    await admin.connect();
    return {
      ...(await rows(openPostgres, options)),
      async line(name, waiters) {
        const connections = await openEach(waiters, async () => {
          const connection = new pg.Client(options.url);
          await connection.connect();
          return connection;
        });
        return connections.map((connection) => async () => {
          await connection.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
          return () => connection.query('SELECT pg_advisory_unlock(hashtext($1))', [name]);
        });
      },
      async inLine() {
        const waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
        return Number((await admin.query(waiting)).rows[0].count);
      },
    };
  },
};

export const mysql: SubjectKind = {
  ours: (options) => ours(openMysql, options),
  async raw(options) {
    const admin = await createConnection({ uri: options.url });
    return {
      ...(await rows(openMysql, options)),
      async line(name, waiters) {
        const connections = await openEach(waiters, () => createConnection({ uri: options.url }));
        return connections.map((connection) => async () => {
          await connection.query('SELECT GET_LOCK(?, ?)', [name, WAIT_MS / 1_000]);
          return () => connection.query('SELECT RELEASE_LOCK(?)', [name]);
        });
      },
      async inLine() {
        const waiting = "SELECT COUNT(*) AS count FROM information_schema.PROCESSLIST WHERE STATE = 'User lock'";
        const [found] = await admin.query<RowDataPacket[]>(waiting);
        return Number(found[0]?.count);
      },
    };
  },
};

type Open = (url: string) => Promise<Database>;

async function ours(open: Open, { url, ttlMs }: OpenOptions): Promise<BenchSubject> {
  const { backend } = await (await open(url)).open();
  return ofBackend(backend, ttlMs);
}

async function rows(open: Open, { url, ttlMs }: OpenOptions): Promise<Pick<BenchSubject, 'pair' | 'hold'>> {
  const { bareRow } = await (await open(url)).open();
  const held = {
    acquire: (name: string) => bareRow.acquire(name, ttlMs),
    extend: (name: string) => bareRow.extend(name, ttlMs),
    release: (name: string) => bareRow.release(name),
  };
  return {
    async pair(index) {
      await bareRow.acquire(`pair:${index}`, TTL_MS);
      await bareRow.release(`pair:${index}`);
    },
    hold: (index) => keptByHand(held, `held:${index}`, ttlMs / 3),
  };
}
