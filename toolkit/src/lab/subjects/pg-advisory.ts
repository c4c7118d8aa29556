/**
 * A session lock as it is often written by hand: a connection out of the pool, and pg_try_advisory_lock on it.
 *
 * Whether the server still has the session is asked by nobody, and nothing is set that would end a session whose holder
 * is gone without a word. It is here to be examined, not to be used.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Subject } from '../subject.ts';
import { openPool } from './open-postgres.ts';

const pgAdvisory: Subject = {
  name: 'pg-advisory',
  server: 'postgres',
  async open({ url }) {
    const pool = openPool(url);
    return {
      async acquire(name, { waitMs }) {
        const giveUpAt = performance.now() + waitMs;
        for (;;) {
          const client = await pool.connect();
          client.on('error', () => {}); // as the pool's own: it would end the process
          const { rows } = await client.query('SELECT pg_try_advisory_lock(hashtext($1)) AS got', [name]);
          if (rows[0].got) {
            return {
              believes: () => true,
              async release() {
                await client.query('SELECT pg_advisory_unlock(hashtext($1))', [name]);
                client.release();
              },
            };
          }
          client.release();
          if (performance.now() >= giveUpAt) return null;
          await sleep(50);
        }
      },
      close: () => pool.end(),
    };
  },
};

export default pgAdvisory;
