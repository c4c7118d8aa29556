// As keeps-its-lock.mjs, but its release says that it has failed.
import keepsItsLock from './keeps-its-lock.mjs';

async function release() {
  throw new Error('the order is not complete');
}

export default {
  ...keepsItsLock,
  name: 'rejects-release',
  async open(where) {
    const session = await keepsItsLock.open(where);
    return {
      ...session,
      async acquire(name, options) {
        const hold = await session.acquire(name, options);
        return hold && { ...hold, release };
      },
    };
  },
};
