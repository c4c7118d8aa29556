import type { Subject } from '../subject.ts';
import { sessionOf } from './holdfast-session.ts';
import { connectWithTables } from './with-tables.ts';

/** Our own lock on MariaDB as a lease row, as its users have it. */
const holdfastMysql: Subject = {
  name: 'holdfast:mysql',
  server: 'mysql',
  async open({ url }) {
    const { backend, close } = await connectWithTables(url);
    return sessionOf(backend, close);
  },
};

export default holdfastMysql;
