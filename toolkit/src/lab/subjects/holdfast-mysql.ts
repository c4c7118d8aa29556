import { connect } from '../../connect/connect.ts';
import type { Subject } from '../subject.ts';
import { sessionOf } from './holdfast-session.ts';

/** Our own lock on MariaDB as a lease row, as its users have it. */
const holdfastMysql: Subject = {
  name: 'holdfast:mysql',
  server: 'mysql',
  async open({ url }) {
    const { backend, close, createTables } = await connect(url, { withoutTables: true });
    await createTables?.();
    return sessionOf(backend, close);
  },
};

export default holdfastMysql;
