import { postgresBackend } from 'holdfast/postgres';
import type { Subject } from '../subject.ts';
import { sessionOf } from './holdfast-session.ts';
import { openPool } from './open-postgres.ts';

/** Our own session lock on PostgreSQL: an advisory lock on a connection that has limits, and is asked. */
const holdfastPostgresSession: Subject = {
  name: 'holdfast:postgres-session',
  server: 'postgres',
  async open({ url }) {
    const pool = openPool(url);
    const backend = postgresBackend(pool, { session: true });
    return sessionOf(backend, async () => {
      await backend.close();
      await pool.end();
    });
  },
};

export default holdfastPostgresSession;
