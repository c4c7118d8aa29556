import { connect } from '../../connect/connect.ts';
import type { Subject } from '../subject.ts';
import { sessionOf } from './holdfast-session.ts';

/** Our own lock on five independent Redis servers, as its users have it. */
const holdfastRedlock: Subject = {
  name: 'holdfast:redlock',
  server: 'redlock',
  async open({ url }) {
    const { backend, close } = await connect(url);
    return sessionOf(backend, close);
  },
};

export default holdfastRedlock;
