/**
 * What can happen to servers that know nothing of each other, and to a holder's ways to them.
 *
 * @module
 */
import type { Independent } from '../cluster.ts';
import { inflict, type Scene } from '../scene.ts';
import type { RedisServer } from '../servers/redis.ts';
import { until } from '../until.ts';
import { provenDead } from './process-state.ts';

function independentOf(scene: Scene): Independent {
  if (!scene.cluster.independent) throw new Error('This fault needs Redis servers that know nothing of each other.');
  return scene.cluster.independent;
}

/** The first of them: those that a holder still reaches when a minority is apart. */
export function someServers(scene: Scene, count: number): readonly RedisServer[] {
  const servers = independentOf(scene).servers.slice(0, count);
  if (servers.length < count) throw new Error(`There are fewer than ${count} servers.`);
  return servers;
}

/** Before the lock is taken: two of five are out of the first holder's reach, so that it needs each of the others. */
export async function setMinorityApart(scene: Scene): Promise<void> {
  const ways = scene.cluster.waysOfA ?? [];
  if (ways.length === 0) throw new Error('The ways of the first holder cannot be cut.');
  scene.report('cutting two servers off from A');
  const names = independentOf(scene)
    .servers.slice(-ways.length)
    .map(({ name }) => name);
  await inflict(
    scene,
    { act: 'cut', target: names.join('+'), says: 'for A: nothing passes between them, and the connections stand' },
    () => {
      for (const way of ways) way.cut();
    },
    async () => `${ways.reduce((sum, way) => sum + way.connections, 0)} connections of A that carry nothing`,
  );
}

/** Once it is held: who has voted for it. Rejects if that is not so many as the experiment is about. */
export async function countVotes(scene: Scene, expected: number): Promise<void> {
  const { servers } = independentOf(scene);
  const voted = async (): Promise<string[]> => {
    const keys = await Promise.all(servers.map(({ client }) => client.keys('*')));
    return servers.filter((_, at) => keys[at]?.some((key) => key.includes(scene.lockName))).map(({ name }) => name);
  };
  // The rival has asked, too, and may just be taking back a vote that it was given.
  const exactly = async (): Promise<string[] | undefined> => {
    const names = await voted();
    return names.length === expected ? names : undefined;
  };
  const options = { limitMs: 5_000, signal: scene.signal };
  const says = `${(await until(`${expected} servers having voted for A`, exactly, options)).join(', ')} have the key`;
  scene.history.write({ f: 'server', type: 'event', event: 'votes', says }, 'votes');
}

/** `kill -9`. What it had was in its memory. */
export async function killServer(scene: Scene, server: RedisServer): Promise<void> {
  await inflict(
    scene,
    { act: 'kill', target: server.name, says: 'kill -9' },
    () => server.stop(),
    () => provenDead(server.pid, scene.signal),
  );
}

/** Starts it again where it was, without what it had. */
export async function startEmpty(scene: Scene, server: RedisServer): Promise<void> {
  let fresh: RedisServer | undefined;
  await inflict(
    scene,
    { act: 'start', target: server.name, says: 'the same address, and nothing of what it knew' },
    async () => {
      fresh = await independentOf(scene).startAgain(server);
    },
    async () => `process ${fresh?.pid}, ${await fresh?.client.dbsize()} keys when it answered`,
  );
}
