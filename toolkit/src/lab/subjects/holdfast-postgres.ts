import type { Subject } from '../subject.ts';
import { sessionOf } from './holdfast-session.ts';
import { connectWithTables } from './with-tables.ts';

/** Our own lock on PostgreSQL as a lease row, as its users have it. */
const holdfastPostgres: Subject = {
  name: 'holdfast:postgres',
  server: 'postgres',
  async open({ url }) {
    const { backend, close } = await connectWithTables(url);
    return sessionOf(backend, close);
  },
};

export default holdfastPostgres;
