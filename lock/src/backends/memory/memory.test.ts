import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeBackend } from '../../contract/index.ts';
import { MemoryStore, memoryBackend } from './index.ts';

const ONE_PROCESS = 'the lock lives and dies with the process';
const NO_SERVER = 'there is no server and no network';

describeBackend({ afterAll, beforeAll, describe, it }, 'memory', {
  start: async () => {
    const store = new MemoryStore();
    return { create: () => memoryBackend({ store }) };
  },
  doesNotApply: {
    'several processes under load never hold it at once, and their tokens rise in the order of their holds':
      ONE_PROCESS,
    'waiters of several processes get the lock in the order in which they came': ONE_PROCESS,
    'a holder that is killed frees the lock for a waiter, by its TTL at the latest': ONE_PROCESS,
    'a waiter that is killed does not hold up those behind it': ONE_PROCESS,
    'a holder that is stopped keeps the lock until its TTL, and finds it lost at its first look afterwards':
      ONE_PROCESS,
    'a black hole: the lease is lost by its own clock before the next one is granted, and does not come back':
      NO_SERVER,
    'a cut connection that comes back costs no lease': NO_SERVER,
    'a waiter whose connection is cut still gets the lock': NO_SERVER,
    'a slow link works, and its delay is taken off the lease': NO_SERVER,
    'an acquire whose reply was lost ends with the lock or without it, and never with an orphan': NO_SERVER,
    'a try whose reply was lost leaves the lock free before its TTL': NO_SERVER,
    'a release whose reply was lost counts as done': NO_SERVER,
    'a server that is stopped for a moment while renewals are due costs no lease': NO_SERVER,
    'a release while there is no connection is done once there is one again, long before the TTL': NO_SERVER,
    'a server that is stopped for longer than the TTL: the holder knows before anybody else can have the lock':
      NO_SERVER,
    'a server that restarts: a waiter goes on, and no two hold at once': NO_SERVER,
  },
});
