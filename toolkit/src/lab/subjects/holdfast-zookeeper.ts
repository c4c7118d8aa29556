import { connect } from '../../connect/connect.ts';
import type { Subject } from '../subject.ts';
import { sessionOf } from './holdfast-session.ts';

/** Our own lock on ZooKeeper, as its users have it. */
const holdfastZooKeeper: Subject = {
  name: 'holdfast:zookeeper',
  server: 'zookeeper',
  async open({ url }) {
    const { backend, close } = await connect(url);
    return sessionOf(backend, close);
  },
};

export default holdfastZooKeeper;
