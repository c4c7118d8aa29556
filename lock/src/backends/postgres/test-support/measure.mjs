// Figures of the lease row on PostgreSQL: node …/measure.mjs postgres://… [rounds], after npm run build.
// Variants alternate within each round; medians over the rounds. The server is the caller's own.
import { createLocks } from 'holdfast';
import { postgresBackend } from 'holdfast/postgres';
import pg from 'pg';

const [url, rounds = '7'] = process.argv.slice(2);
const PAIRS = 150;
const pool = new pg.Pool({ connectionString: url });
const backend = postgresBackend(pool);
await backend.createTables();
const locks = createLocks(backend);
await pool.query(
  'CREATE TABLE IF NOT EXISTS measured (name text PRIMARY KEY, owner text, token bigint, ends_at timestamptz)',
);
const session = createLocks(postgresBackend(pool, { session: true }));
const pinned = await pool.connect();

const variants = {
  'bare upsert + update': async () => {
    await pool.query(
      "INSERT INTO measured VALUES ($1, $2, 1, clock_timestamp() + $3 * interval '1 ms') ON CONFLICT (name) DO UPDATE SET owner = $2, token = measured.token + 1, ends_at = excluded.ends_at WHERE measured.owner IS NULL OR measured.ends_at < clock_timestamp() RETURNING token",
      ['a', 'me', 30_000],
    );
    await pool.query('UPDATE measured SET owner = NULL WHERE name = $1 AND owner = $2', ['a', 'me']);
  },
  'lease row': async () => (await locks.lock('a').acquire()).release(),
  'bare advisory lock': async () => {
    await pinned.query('SELECT pg_try_advisory_lock($1::bigint)', ['4242']);
    await pinned.query('SELECT pg_advisory_unlock($1::bigint)', ['4242']);
  },
  'session lock': async () => (await session.lock('a').acquire()).release(),
};

const rates = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
for (let round = -1; round < Number(rounds); round++) {
  for (const [name, pair] of Object.entries(variants)) {
    const startedAt = performance.now();
    for (let count = 0; count < PAIRS; count++) await pair();
    if (round >= 0) rates[name].push((PAIRS * 1000) / (performance.now() - startedAt));
  }
}
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
for (const [name, values] of Object.entries(rates)) {
  console.log(
    `${name.padEnd(22)} ${Math.round(median(values))} pairs/s (${Math.round(Math.min(...values))}-${Math.round(Math.max(...values))})`,
  );
}
const ratios = (one, other) => median(rates[one].map((rate, index) => rate / rates[other][index])).toFixed(2);
console.log(`lease row : bare       ${ratios('lease row', 'bare upsert + update')}`);
console.log(`session : bare         ${ratios('session lock', 'bare advisory lock')}`);

// A bare NOTIFY to its listener, and a hand-over to the waiter of another backend object.
const listener = await pool.connect();
await listener.query('LISTEN measured');
const notify = [];
const handOver = [];
const otherPool = new pg.Pool({ connectionString: url });
const other = createLocks(postgresBackend(otherPool));
for (let round = 0; round < 60; round++) {
  const heard = new Promise((resolve) => listener.once('notification', resolve));
  let startedAt = performance.now();
  await pool.query("SELECT pg_notify('measured', '')");
  await heard;
  notify.push(performance.now() - startedAt);

  const lease = await locks.lock('h').acquire();
  const waiting = other.lock('h').acquire();
  while ((await backend.inspect('h', Infinity)).waiters.length === 0);
  startedAt = performance.now();
  void lease.release();
  const next = await waiting;
  handOver.push(performance.now() - startedAt);
  await next.release();
}
console.log(
  `NOTIFY round p50 ${median(notify).toFixed(2)} ms, hand-over p50 ${median(handOver).toFixed(2)} ms, ratio ${(median(handOver) / median(notify)).toFixed(2)}`,
);

await other.close();
await otherPool.end();
listener.release();
pinned.release();
await session.close();
await locks.close();
await pool.end();
