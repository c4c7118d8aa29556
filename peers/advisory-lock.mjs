// advisory-lock: a session lock of PostgreSQL, with a connection of its own for each acquisition.
import advisoryLock from 'advisory-lock';

const createMutex = advisoryLock.default ?? advisoryLock;

export default {
  name: 'npm:advisory-lock',
  server: 'postgres',
  async open({ url }) {
    return {
      async acquire(name, { waitMs }) {
        const mutex = createMutex(url)(name);
        const unlock = waitMs === 0 ? await mutex.tryLock() : await inTime(mutex.lock(), waitMs);
        if (!unlock) return null;
        let released = false;
        return {
          believes: () => !released, // it tells nobody that the connection has ended
          async release() {
            released = true;
            await unlock();
          },
        };
      },
      async close() {},
    };
  },
};

/** It waits as long as it takes: what comes too late is given back. */
async function inTime(locking, waitMs) {
  let timer;
  const tooLate = new Promise((resolve) => {
    timer = setTimeout(resolve, waitMs, null);
  });
  const unlock = await Promise.race([locking, tooLate]);
  clearTimeout(timer);
  if (unlock === null) locking.then((late) => late()).catch(() => {});
  return unlock;
}
