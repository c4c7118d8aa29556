import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeBackend } from '../../contract/index.ts';
import { Instant, systemClock } from '../../core/clock.ts';
import { createLocks } from '../../core/lock.ts';
import { ZooKeeperClient } from './client/client.ts';
import { isCode } from './client/errors.ts';
import { parseConnectString } from './client/hosts.ts';
import { zookeeperBackend } from './index.ts';
import { Ensemble } from './test-support/ensemble.ts';
import { whyNoZooKeeper, ZooKeeperServer } from './test-support/servers.ts';

const missing = whyNoZooKeeper();
const runner = { afterAll, beforeAll, describe: describe.skipIf(missing !== undefined), it };
if (missing !== undefined) console.info(`  - zookeeper: skipped, since ${missing}`);

const doesNotApply = {
  'the answer to a waiter names the last token, so that an old hand-over is told from a new one':
    'a hand-over is never pushed: the waiter is woken and looks for itself',
};
const worker = new URL('./test-support/worker.mjs', import.meta.url);

describeBackend(runner, 'zookeeper, one server', {
  start: async () => {
    const server = await ZooKeeperServer.start();
    const look = await lookAt(server.address);
    return {
      create: () => zookeeperBackend(server.address),
      worker: { module: worker, data: { servers: server.address } },
      server: { restart: () => server.restart(), pause: () => server.pause(), resume: () => server.resume() },
      network: { port: server.port, createThrough: (port) => zookeeperBackend(`127.0.0.1:${port}`) },
      residue: () => contenders(look),
      stop: async () => {
        await look.session.close(systemClock.now());
        await server.stop();
      },
    };
  },
  doesNotApply,
});

describeBackend(runner, 'zookeeper, an ensemble of three', {
  start: async () => {
    const ensemble = await Ensemble.start();
    const look = await lookAt(ensemble.addresses);
    const [first] = ensemble.servers;
    return {
      create: () => zookeeperBackend(ensemble.addresses),
      worker: { module: worker, data: { servers: ensemble.addresses } },
      server: {
        restart: () => ensemble.restartLeader(),
        pause: () => ensemble.pause(),
        resume: () => ensemble.resume(),
      },
      network: { port: first?.port as number, createThrough: (port) => zookeeperBackend(`127.0.0.1:${port}`) },
      residue: () => contenders(look),
      stop: async () => {
        await look.session.close(systemClock.now());
        await ensemble.stop();
      },
    };
  },
  doesNotApply,
});

/** A client of its own, and a server that has worked once: the first requests of a Java program take long. */
async function lookAt(servers: string): Promise<ZooKeeperClient> {
  const locks = createLocks(zookeeperBackend(servers), { ttlMs: 30_000 });
  for (let round = 0; round < 20; round++) await locks.lock('warm').run(() => undefined);
  await locks.close();
  const none = { tls: undefined, digest: undefined, connection: () => undefined, over: () => undefined };
  const { hosts, chroot } = parseConnectString(servers);
  return new ZooKeeperClient({ hosts, chroot, timeoutMs: 60_000, clock: systemClock, random: Math.random, ...none });
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
