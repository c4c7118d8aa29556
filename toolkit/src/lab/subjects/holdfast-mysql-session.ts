import { mysqlBackend } from 'holdfast/mysql';
import { createPool } from 'mysql2/promise';
import { poolOptionsOf } from '../../connect/mysql.ts';
import type { Subject } from '../subject.ts';
import { sessionOf } from './holdfast-session.ts';

/** Our own session lock on MariaDB: GET_LOCK on a connection that has limits, and is asked. */
const holdfastMysqlSession: Subject = {
  name: 'holdfast:mysql-session',
  server: 'mysql',
  async open({ url }) {
    const pool = createPool(poolOptionsOf(url));
    const backend = mysqlBackend(pool, { session: true });
    return sessionOf(backend, async () => {
      await backend.close();
      await pool.end();
    });
  },
};

export default holdfastMysqlSession;
