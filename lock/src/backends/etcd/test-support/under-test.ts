/**
 * An etcd as the contract suite wants it.
 *
 * @module
 */
import { type BackendUnderTest, contractCases } from '../../../contract/index.ts';
import { etcdBackend } from '../index.ts';
import type { TestEtcd } from './etcd.ts';

const NO_TRANSFER =
  'a token is the revision at which a key was created, so that the next owner needs a key of its own: release and acquire';

export const doesNotApply: Readonly<Record<string, string>> = {
  'a transfer gives the lock to the next of the same process, with a token of its own, while nobody waits': NO_TRANSFER,
  'a transfer lets those go first who wait in the queue': NO_TRANSFER,
};

/** What says something by its number; `npm run test:more` has it. */
export const REPEATS: readonly string[] = ['10,000 acquire and release leave no keys, listeners or memory'];

export const ALL_BUT_REPEATS: readonly string[] = contractCases
  .map(({ name }) => name)
  .filter((name) => !REPEATS.includes(name));

/** What can go another way where three must agree; when "the server" restarts, all of them do. */
export const TELLING: readonly string[] = [
  'several processes under load never hold it at once, and their tokens rise in the order of their holds',
  'waiters of several processes get the lock in the order in which they came',
  'an acquire whose reply was lost ends with the lock or without it, and never with an orphan',
  'a server that restarts: a waiter goes on, and no two hold at once',
];

export function underTest(etcd: TestEtcd): BackendUnderTest {
  const { endpoints } = etcd;
  const signalAll = (signal: 'SIGSTOP' | 'SIGCONT'): void => {
    for (const index of endpoints.keys()) etcd.signal(index, signal);
  };
  return {
    create: () => etcdBackend({ endpoints }),
    worker: { module: new URL('./backend.mjs', import.meta.url), data: { endpoints } },
    server: {
      restart: () => etcd.restart(),
      pause: () => signalAll('SIGSTOP'),
      resume: () => signalAll('SIGCONT'),
    },
    network: { port: etcd.port, createThrough: (port) => etcdBackend({ endpoints: [`127.0.0.1:${port}`] }) },
    residue: () => etcd.residue(),
    stop: () => etcd.stop(),
  };
}
