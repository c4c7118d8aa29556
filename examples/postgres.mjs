// A lock on PostgreSQL, and the guard in the transaction that does the work: a holder that has been overtaken is refused.
import { createLocks } from 'holdfast';
import { postgresGuard } from 'holdfast/guards/postgres';
import { postgresBackend } from 'holdfast/postgres';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? 'postgres://localhost/app' });
const backend = postgresBackend(pool);
const guard = postgresGuard({ source: backend.tokenSource });
await backend.createTables(); // once, as `holdfast migrate` does it
await pool.query(guard.ddl); // once
await pool.query('CREATE TABLE IF NOT EXISTS orders (id text PRIMARY KEY, charged integer NOT NULL)');

const locks = createLocks(backend, { ttlMs: 30_000 });

async function charge(order, lease) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await guard.fence(client, order, lease.fencingToken); // before the first read
    const { rows } = await client.query('SELECT charged FROM orders WHERE id = $1', [order]);
    const charged = (rows[0]?.charged ?? 0) + 1;
    await client.query('INSERT INTO orders VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET charged = $2', [
      order,
      charged,
    ]);
    await client.query('COMMIT');
    return charged;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {}); // on a dead connection it fails, and would hide the first error
    throw error;
  } finally {
    client.release();
  }
}

let charged; // outside of the body: what was committed is known also if run rejects
try {
  await locks.lock('order:1001').run(async (lease) => {
    charged = await charge('order:1001', lease);
  });
} catch (error) {
  if (error.code !== 'LOST' || charged === undefined) throw error; // lost after the COMMIT: done, and not to be repeated
}

// A holder that was overtaken, and does not know it yet.
const earlier = await locks.lock('order:1001').acquire();
await earlier.release();
await locks.lock('order:1001').run((lease) => charge('order:1001', lease));
await charge('order:1001', earlier).catch((error) => console.log(`refused: ${error.token} is below ${error.floor}`));

const { rows } = await pool.query("SELECT charged FROM orders WHERE id = 'order:1001'");
console.log(`charged ${rows[0].charged} times`);

await locks.close();
await pool.end(); // after close: it waits for the connection on which the locks listen
