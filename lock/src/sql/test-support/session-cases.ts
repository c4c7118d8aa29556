/**
 * Which cases of the contract make no sense for a lock that hangs on a connection, each with the reason.
 *
 * @module
 */

const NO_QUEUE = 'there is no queue: who waits asks again';
const NO_TOKEN = 'a session lock has no token';
const NO_TTL = 'the TTL of a session lock is not the one that is asked for, but ten seconds of silence';
const NO_NAMES = 'the server knows a hash in place of the name, and not who holds it for what';
const NO_WITHDRAWAL = 'a request that was not answered ends with its connection; nothing has to be refused later';

const ONE_CONNECTION =
  'all that it has at the server hangs on one connection, whose end the case about `close` looks for';

export const notForSessions: Readonly<Record<string, string>> = {
  'a lock is held by one, and a try by another gives null': NO_TTL,
  'the holder, its purpose and the waiters can be seen, and are gone afterwards': NO_NAMES,
  'a broken holder is told, the next waiter gets the lock, and its token is not below the one to raise the guard to':
    NO_NAMES,
  'breaking a lock that nobody holds finds nobody': NO_NAMES,
  'each grant has a larger token than all before, also after a hold that ran out': NO_TOKEN,
  'a lease that is not renewed is lost by its own clock before the next one is granted': NO_TTL,
  'the late release of a lost lease does not free the lock of the next holder': NO_TTL,
  'a hold that is gone at the backend is lost at the next renewal, and is not made anew': NO_NAMES,
  'waiters of several processes get the lock in the order in which they came': NO_QUEUE,
  'waiters of several Locks objects get the lock in the order in which they came': NO_QUEUE,
  'a try does not barge in front of those who wait': NO_QUEUE,
  'the others keep their order when one in the middle leaves': NO_QUEUE,
  'entering the queue again keeps the place, and a heartbeat never makes one': NO_QUEUE,
  'the answer to a waiter names the last token, so that an old hand-over is told from a new one': NO_TOKEN,
  'a withdrawn waiter is out of the queue, and a withdrawn holder passes the lock on': NO_QUEUE,
  'a request that arrives after it was withdrawn gets nothing, and leaves nothing': NO_WITHDRAWAL,
  'a transfer gives the lock to the next of the same process, with a token of its own, while nobody waits': NO_TOKEN,
  'a transfer lets those go first who wait in the queue': NO_QUEUE,
  'a free lock goes to the first who waits, whoever looks first': NO_QUEUE,
  'a holder that is stopped keeps the lock until its TTL, and finds it lost at its first look afterwards': NO_TTL,
  'a black hole: the lease is lost by its own clock before the next one is granted, and does not come back': NO_TTL,
  'a cut connection that comes back costs no lease': 'it does: the lock ends with its connection',
  '10,000 acquire and release leave no keys, listeners or memory': ONE_CONNECTION,
  'a slow link works, and its delay is taken off the lease': NO_TTL,
  'a release whose reply was lost counts as done': 'the end of the connection says that the hold is over',
  'a server that is stopped for longer than the TTL: the holder knows before anybody else can have the lock': NO_TTL,
};
