/**
 * A ZooKeeper as the contract suite wants it.
 *
 * @module
 */
import { type BackendUnderTest, contractCases } from '../../../contract/index.ts';
import { Instant, systemClock } from '../../../core/clock.ts';
import { createLocks } from '../../../core/lock.ts';
import { ZooKeeperClient } from '../client/client.ts';
import { isCode } from '../client/errors.ts';
import { parseConnectString } from '../client/hosts.ts';
import { zookeeperBackend } from '../index.ts';
import type { Ensemble } from './ensemble.ts';
import type { ZooKeeperServer } from './servers.ts';

export const doesNotApply: Readonly<Record<string, string>> = {
  'the answer to a waiter names the last token, so that an old hand-over is told from a new one':
    'a hand-over is never pushed: the waiter is woken and looks for itself',
};

/** So that the cases with the shortest TTLs do not need a Java program that never stops for a moment. */
export const SHORTEST_SESSION: readonly string[] = ['minSessionTimeout=600'];

/** What says something by its number; `npm run test:more` has it. */
export const REPEATS: readonly string[] = ['10,000 acquire and release leave no keys, listeners or memory'];

export const ALL_BUT_REPEATS: readonly string[] = contractCases
  .map(({ name }) => name)
  .filter((name) => !REPEATS.includes(name));

/** What can go another way where three must agree. */
export const TELLING: readonly string[] = [
  'several processes under load never hold it at once, and their tokens rise in the order of their holds',
  'waiters of several processes get the lock in the order in which they came',
  'a release wakes the waiter of another process at once, without its asking',
  'an acquire whose reply was lost ends with the lock or without it, and never with an orphan',
];

export async function serverUnderTest(server: ZooKeeperServer): Promise<BackendUnderTest> {
  return {
    ...(await underTest(server.address, server.port)),
    server: { restart: () => server.restart(), pause: () => server.pause(), resume: () => server.resume() },
  };
}

export async function ensembleUnderTest(ensemble: Ensemble): Promise<BackendUnderTest> {
  const [first] = ensemble.servers;
  return {
    ...(await underTest(ensemble.addresses, first?.port as number)),
    server: {
      restart: () => ensemble.restartLeader(),
      pause: () => ensemble.pause(),
      resume: () => ensemble.resume(),
    },
  };
}

async function underTest(servers: string, port: number): Promise<BackendUnderTest> {
  await warmUp(servers);
  const none = { tls: undefined, digest: undefined, connection: () => undefined, over: () => undefined };
  const { hosts, chroot } = parseConnectString(servers);
  const [clock, random] = [systemClock, Math.random];
  const look = new ZooKeeperClient({ hosts, chroot, timeoutMs: 60_000, clock, random, ...none });
  return {
    create: () => zookeeperBackend(servers),
    worker: { module: new URL('./worker.mjs', import.meta.url), data: { servers } },
    network: { port, createThrough: (relayPort) => zookeeperBackend(`127.0.0.1:${relayPort}`) },
    residue: () => contenders(look),
    stop: () => look.session.close(systemClock.now()),
  };
}

/** The first requests of a Java program take long. */
export async function warmUp(servers: string): Promise<void> {
  const locks = createLocks(zookeeperBackend(servers), { ttlMs: 30_000 });
  for (let round = 0; round < 20; round++) await locks.lock('warm').run(() => undefined);
  await locks.close();
}

/** The nodes of all contenders. The containers above stay until the server removes them. */
async function contenders(client: ZooKeeperClient): Promise<string[]> {
  const found: string[] = [];
  await client.session.connected(Instant.plus(systemClock.now(), 5_000));
  await client.sync('/holdfast');
  for (const lock of (await client.getChildren('/holdfast')).children) {
    try {
      found.push(...(await client.getChildren(`/holdfast/${lock}`)).children);
    } catch (error) {
      if (!isCode(error, 'NO_NODE')) throw error;
    }
  }
  return found.sort();
}
