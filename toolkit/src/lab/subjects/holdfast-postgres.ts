import { connect } from '../../connect/connect.ts';
import type { Subject } from '../subject.ts';
import { sessionOf } from './holdfast-session.ts';

/** Our own lock on PostgreSQL as a lease row, as its users have it. */
const holdfastPostgres: Subject = {
  name: 'holdfast:postgres',
  server: 'postgres',
  async open({ url }) {
    const { backend, close, createTables } = await connect(url, { withoutTables: true });
    await createTables?.();
    return sessionOf(backend, close);
  },
};

export default holdfastPostgres;
