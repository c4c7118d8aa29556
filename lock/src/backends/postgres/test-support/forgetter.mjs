// A program that forgets its locks, and comes to its end by itself: it holds one, and has waited for another.
import { createLocks } from 'holdfast';
import { postgresBackend } from 'holdfast/postgres';
import pg from 'pg';

const [, , url, kind, end] = process.argv;
const pool = new pg.Pool({ connectionString: url, allowExitOnIdle: true });
const locks = createLocks(postgresBackend(pool, { session: kind === 'session' }), { ttlMs: 30_000 });
const lease = await locks.lock(`held by ${process.pid}`).acquire();
await locks
  .lock('busy')
  .acquire({ waitMs: 300 })
  .catch(({ code }) => console.log(`waited ${code}`));
console.log(lease.state);
if (end === 'pool.end') {
  await pool.end();
  console.log('the pool has ended');
}
