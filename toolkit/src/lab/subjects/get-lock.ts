/**
 * A session lock as it is often written by hand: a connection out of the pool, and GET_LOCK on it.
 *
 * As with `pg-advisory`, nobody asks whether the server still has the session, and nothing is set that would end it. It
 * is here to be examined, not to be used.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, type RowDataPacket } from 'mysql2/promise';
import { poolOptionsOf } from '../../connect/mysql.ts';
import type { Subject } from '../subject.ts';

const getLock: Subject = {
  name: 'get-lock',
  server: 'mysql',
  async open({ url }) {
    const pool = createPool(poolOptionsOf(url));
    return {
      async acquire(name, { waitMs }) {
        const giveUpAt = performance.now() + waitMs;
        for (;;) {
          const connection = await pool.getConnection();
          connection.on('error', () => {}); // without it, one that the server ends would end the process
          const [rows] = await connection.query<RowDataPacket[]>('SELECT GET_LOCK(?, 0) AS got', [name]);
          if (rows[0]?.got === 1) {
            return {
              believes: () => true,
              async release() {
                await connection.query('SELECT RELEASE_LOCK(?)', [name]);
                connection.release();
              },
            };
          }
          connection.release();
          if (performance.now() >= giveUpAt) return null;
          await sleep(50);
        }
      },
      close: () => pool.end(),
    };
  },
};

export default getLock;
