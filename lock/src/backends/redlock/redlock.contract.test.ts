import { afterAll, beforeAll, describe, it } from 'vitest';
import { type BackendUnderTest, describeBackend } from '../../contract/index.ts';
import { freePort } from '../redis/test-support/redis-server.ts';
import { RedlockServers } from './test-support/redlock-servers.ts';

const NO_QUEUE = 'no server keeps a queue: waiters of several processes try again, with jitter';
const NO_TOKENS = 'there are no fencing tokens';

const NO_TRANSFER = 'a lock is not passed on: it is released, and taken anew';

/**
 * The suite on five servers. Its faults must cost a majority, since one server more or less changes nothing: so three are
 * restarted or frozen at once, and where a network is bad, two servers are down besides the one behind it.
 */
describeBackend({ afterAll, beforeAll, describe, it }, 'redlock', {
  start: async (): Promise<BackendUnderTest> => {
    const servers = await RedlockServers.start();
    const three = servers.all.slice(0, 3);
    const nobody = [await freePort(), await freePort()];
    return {
      create: () => servers.backend(),
      worker: { module: new URL('./test-support/worker.mjs', import.meta.url), data: { ports: servers.ports } },
      server: {
        restart: async () => {
          await Promise.all(three.map((server) => server.restart()));
        },
        pause: () => {
          for (const server of three) server.pause();
        },
        resume: () => {
          for (const server of three) server.resume();
        },
      },
      network: {
        port: servers.at(0).port,
        // A link that is slow on purpose may be slower still on a busy machine.
        createThrough: (port) =>
          servers.backend({ nodeTimeoutMs: 1_000 }, {}, [port, ...servers.ports.slice(1, 3), ...nobody]),
      },
      residue: () => servers.residue(),
      stop: () => servers.stop(),
    };
  },
  doesNotApply: {
    'the holder, its purpose and the waiters can be seen, and are gone afterwards': NO_QUEUE,
    'a broken holder is told, the next waiter gets the lock, and its token is not below the one to raise the guard to':
      NO_TOKENS,
    'each grant has a larger token than all before, also after a hold that ran out': NO_TOKENS,
    'waiters of several processes get the lock in the order in which they came': NO_QUEUE,
    'waiters of several Locks objects get the lock in the order in which they came': NO_QUEUE,
    'a try does not barge in front of those who wait': NO_QUEUE,
    'a release wakes the waiter of another process at once, without its asking': NO_QUEUE,
    'the others keep their order when one in the middle leaves': NO_QUEUE,
    'entering the queue again keeps the place, and a heartbeat never makes one': NO_QUEUE,
    'the answer to a waiter names the last token, so that an old hand-over is told from a new one': NO_QUEUE,
    'a withdrawn waiter is out of the queue, and a withdrawn holder passes the lock on': NO_QUEUE,
    'a request that arrives after it was withdrawn gets nothing, and leaves nothing': NO_QUEUE,
    'a transfer gives the lock to the next of the same process, with a token of its own, while nobody waits':
      NO_TRANSFER,
    'a transfer lets those go first who wait in the queue': NO_TRANSFER,
    'a free lock goes to the first who waits, whoever looks first': NO_QUEUE,
  },
});
