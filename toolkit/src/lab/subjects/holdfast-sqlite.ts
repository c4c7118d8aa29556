import { connect } from '../../connect/connect.ts';
import type { Subject } from '../subject.ts';
import { sessionOf } from './holdfast-session.ts';

/** Our own embedded lock, in a file that belongs to this run. */
const holdfastSqlite: Subject = {
  name: 'holdfast:sqlite',
  server: 'none',
  async open({ url }) {
    const { backend, close } = await connect(url);
    return sessionOf(backend, close);
  },
};

export default holdfastSqlite;
