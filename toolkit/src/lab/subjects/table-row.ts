/**
 * The lock table: a row is inserted to lock, where its name may stand only once, and deleted to unlock.
 *
 * Nothing ends it but that DELETE: not the death of its holder, and no time. It is here to be examined, not to be used.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Subject } from '../subject.ts';
import { openPool } from './open-postgres.ts';

const tableRow: Subject = {
  name: 'table-row',
  server: 'postgres',
  async open({ url }) {
    const pool = openPool(url);
    await makeTable(pool);
    return {
      async acquire(name, { waitMs }) {
        const giveUpAt = performance.now() + waitMs;
        const insert = 'INSERT INTO locks (name, holder) VALUES ($1, $2) ON CONFLICT DO NOTHING';
        while ((await pool.query(insert, [name, process.pid])).rowCount !== 1) {
          if (performance.now() >= giveUpAt) return null;
          await sleep(50);
        }
        return {
          believes: () => true,
          async release() {
            await pool.query('DELETE FROM locks WHERE name = $1', [name]);
          },
        };
      },
      close: () => pool.end(),
    };
  },
};

/** Both holders do it at once, and one of them may find that the other was quicker. */
async function makeTable(pool: ReturnType<typeof openPool>): Promise<void> {
  const create = 'CREATE TABLE IF NOT EXISTS locks (name text PRIMARY KEY, holder integer NOT NULL)';
  await pool.query(create).catch(() => pool.query(create));
}

export default tableRow;
