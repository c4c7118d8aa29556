import { connect } from '../../connect/connect.ts';
import type { Subject } from '../subject.ts';
import { sessionOf } from './holdfast-session.ts';

/** Our own lock on etcd, as its users have it. */
const holdfastEtcd: Subject = {
  name: 'holdfast:etcd',
  server: 'etcd',
  async open({ url }) {
    const { backend, close } = await connect(url);
    return sessionOf(backend, close);
  },
};

export default holdfastEtcd;
