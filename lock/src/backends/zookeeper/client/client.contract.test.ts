import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Relay } from '../../../contract/relay.ts';
import { until } from '../../../contract/subject.ts';
import { Instant, systemClock } from '../../../core/clock.ts';
import { whyNoZooKeeper, ZooKeeperServer } from '../test-support/servers.ts';
import { soon, World } from '../test-support/world.ts';
import type { ClientOptions, ZooKeeperClient } from './client.ts';
import { CREATOR_ACL, CreateMode, EventType, OPEN_ACL, type WatchEvent } from './protocol.ts';

const missing = whyNoZooKeeper();
const data = Buffer.from('data');
const persistent = { mode: CreateMode.persistent, data, acl: OPEN_ACL };
const ephemeral = { mode: CreateMode.ephemeralSequential, data, acl: OPEN_ACL };

describe.skipIf(missing !== undefined)('the ZooKeeper client', () => {
  let server: ZooKeeperServer;
  const world = new World();
  const open = (servers: string, changes: Partial<ClientOptions> = {}): Promise<ZooKeeperClient> =>
    world.client(servers, { timeoutMs: 4_000, ...changes });

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
  }, 60_000);

  afterAll(async () => {
    await world.end();
    await server.stop();
  });

  it('makes, reads, changes and removes nodes, and the zxids rise', async () => {
    const client = await open(server.address);
    const made = await client.create('/ops', persistent);
    expect(made.path).toBe('/ops');
    expect(await client.getData('/ops')).toMatchObject({ data, stat: { czxid: made.stat.czxid, version: 0 } });
    const changed = await client.setData('/ops', Buffer.from('other'), { version: 0 });
    expect(changed.mzxid > made.stat.czxid).toBe(true);
    await expect(client.setData('/ops', data, { version: 0 })).rejects.toMatchObject({ code: 'BAD_VERSION' });
    const { path } = await client.create('/ops/lock-', ephemeral);
    expect(path).toBe('/ops/lock-0000000000');
    expect((await client.exists(path))?.ephemeralOwner).toBe(client.session.id);
    expect((await client.getChildren('/ops')).children).toEqual(['lock-0000000000']);
    await expect(client.delete('/ops')).rejects.toMatchObject({ code: 'NOT_EMPTY' });
    await client.delete(path);
    const deletedAt = await client.delete('/ops');
    expect(deletedAt > changed.mzxid).toBe(true);
    expect(await client.exists('/ops')).toBeNull();
  });

  it('makes several changes at once, or none of them', async () => {
    const client = await open(server.address);
    await client.create('/multi', persistent);
    const results = await client.multi([
      { do: 'check', path: '/multi', version: 0 },
      { do: 'create', path: '/multi/a', ...persistent },
      { do: 'setData', path: '/multi', data: Buffer.from('x') },
      { do: 'delete', path: '/multi/a' },
    ]);
    expect(results.map(({ path }) => path)).toEqual([undefined, '/multi/a', undefined, undefined]);
    expect(results[2]?.stat?.version).toBe(1);
    const refused = client.multi([
      { do: 'create', path: '/multi/b', ...persistent },
      { do: 'check', path: '/multi', version: 7 },
    ]);
    await expect(refused).rejects.toMatchObject({ code: 'BAD_VERSION' });
    expect(await client.exists('/multi/b')).toBeNull();
  });

  it('keeps to its chroot, in requests, answers and events', async () => {
    const outside = await open(server.address);
    await outside.create('/app', persistent);
    const inside = await open(`${server.address}/app`);
    const events: WatchEvent[] = [];
    expect((await inside.create('/a', persistent)).path).toBe('/a');
    await inside.getData('/a', { watch: (event) => events.push(event) });
    await outside.delete('/app/a');
    await until('the event', () => events.length > 0);
    expect((await inside.getChildren('/')).children).toEqual([]);
    await expect(
      open(`${server.address}/nowhere`).then((client) => client.create('/a', persistent)),
    ).rejects.toMatchObject({ code: 'NO_NODE' });
  });

  it('calls a watch back once, before the answer to anything that came later', async () => {
    const [client, other] = [await open(server.address), await open(server.address)];
    const heard: string[] = [];
    await client.create('/watched', persistent);
    await client.getData('/watched', { watch: ({ type }) => heard.push(`data ${type}`) });
    await client.getChildren('/watched', { watch: ({ type }) => heard.push(`children ${type}`) });
    await client.exists('/awaited', { watch: ({ type }) => heard.push(`exist ${type}`) });
    await other.create('/awaited', persistent);
    await other.create('/watched/a', persistent);
    await other.setData('/watched', data);
    await other.setData('/watched', data);
    await client.sync('/');
    expect(heard).toEqual([
      `exist ${EventType.created}`,
      `children ${EventType.childrenChanged}`,
      `data ${EventType.dataChanged}`,
    ]);
  });

  it('watches for good, and everything below, until it is told to stop', async () => {
    const [client, other] = [await open(server.address), await open(server.address)];
    const heard: number[] = [];
    const watch = ({ type }: WatchEvent): void => void heard.push(type);
    await client.create('/tree', persistent);
    await client.addWatch('/tree', 'recursive', watch);
    await other.create('/tree/a', persistent);
    await other.setData('/tree/a', data);
    await other.delete('/tree/a');
    await client.sync('/');
    expect(heard).toEqual([EventType.created, EventType.dataChanged, EventType.deleted]);
    client.unwatch('/tree', 'recursive', watch);
    await client.sync('/');
    await other.create('/tree/b', persistent);
    await client.sync('/');
    expect(heard).toHaveLength(3);
  });

  it('takes the session up again after a cut, with its watches, and hears what happened meanwhile', async () => {
    const relay = await Relay.start(server.port);
    const heard: string[] = [];
    const states: boolean[] = [];
    try {
      const client = await open(`127.0.0.1:${relay.port}`, { connection: (isConnected) => states.push(isConnected) });
      const other = await open(server.address);
      const { id } = client.session;
      await client.create('/cut', persistent);
      const { path } = await client.create('/cut/mine-', ephemeral);
      await client.getData('/cut', { watch: () => heard.push('data') });
      await client.addWatch('/cut', 'persistent', () => heard.push('persistent'));
      relay.cut();
      await until('the loss of the connection', () => states.at(-1) === false);
      await expect(client.getData('/cut')).rejects.toMatchObject({ name: 'NotConnectedError' });
      await other.setData('/cut', data);
      relay.heal();
      await client.session.connected(soon());
      await until('the event that was missed', () => heard.includes('data'));
      await other.create('/cut/b', persistent);
      await until('an event of the watch for good', () => heard.includes('persistent'));
      expect(client.session.id).toBe(id);
      expect(await client.exists(path)).not.toBeNull();
    } finally {
      await relay.close();
    }
  });

  it('fails what was under way when the connection ends, and never sends it again', async () => {
    const relay = await Relay.start(server.port);
    try {
      const client = await open(`127.0.0.1:${relay.port}`);
      const other = await open(server.address);
      await client.create('/once', persistent);
      const dropped = relay.dropNextReply();
      const creating = client.create('/once/lock-', ephemeral);
      const failed = expect(creating).rejects.toMatchObject({ name: 'ConnectionLossError' });
      await dropped;
      await failed;
      await client.session.connected(soon());
      await client.sync('/');
      expect((await other.getChildren('/once')).children.length).toBeLessThanOrEqual(1);
    } finally {
      await relay.close();
    }
  });

  it('gives up a call at its deadline, and a server that is silent before the session can be over', async () => {
    const states: { isConnected: boolean; atMs: number }[] = [];
    const client = await open(server.address, {
      timeoutMs: 1_500,
      connection: (isConnected) => states.push({ isConnected, atMs: performance.now() }),
    });
    server.pause();
    const pausedAtMs = performance.now();
    try {
      // The signal may find some of its threads at work, which then answer once more.
      const ask = () => client.getData('/', { deadline: Instant.plus(systemClock.now(), 100) });
      const ends = await untilRejected(ask);
      expect(ends).toMatchObject({ name: 'ConnectionLossError' });
      await until('the end of the connection', () => states.at(-1)?.isConnected === false);
      expect((states.at(-1)?.atMs as number) - pausedAtMs).toBeLessThan(1_500);
    } finally {
      server.resume();
    }
    await client.session.connected(soon()).catch(() => undefined);
  });

  it('hears that its session is over', async () => {
    const relay = await Relay.start(server.port);
    try {
      let isOver = false;
      const client = await open(`127.0.0.1:${relay.port}`, { timeoutMs: 500, over: () => (isOver = true) });
      relay.cut();
      await until('the end of the session at the server', async () => {
        const dump = await server.ask('dump');
        return !dump.includes(client.session.id.toString(16));
      });
      relay.heal();
      await until('the word of the server', () => isOver);
      await expect(client.getData('/')).rejects.toMatchObject({ name: 'SessionOverError' });
      await expect(client.session.connected(soon())).rejects.toMatchObject({ name: 'SessionOverError' });
    } finally {
      await relay.close();
    }
  });

  it('ends its session with close, and its nodes go at once', async () => {
    const client = await open(server.address, { timeoutMs: 30_000 });
    const other = await open(server.address);
    const { path } = await client.create('/bye-', ephemeral);
    await client.session.close(soon());
    await other.sync('/');
    expect(await other.exists(path)).toBeNull();
  });

  it('says who it is on every connection: nodes that are its own are closed to others', async () => {
    const relay = await Relay.start(server.port);
    try {
      const digest = { user: 'lock', password: 'secret' };
      const owner = await open(`127.0.0.1:${relay.port}`, { digest });
      const stranger = await open(server.address);
      await owner.create('/own', { ...persistent, acl: CREATOR_ACL });
      expect((await owner.getAcl('/own')).acl).toMatchObject([{ permissions: 31, scheme: 'digest' }]);
      await expect(stranger.getData('/own')).rejects.toMatchObject({ code: 'NO_AUTH' });
      relay.cut({ refuse: false });
      await until('the new connection', () => owner.session.connected(soon()).then(() => true));
      await until('an answer', () =>
        owner.getData('/own').then(
          () => true,
          () => false,
        ),
      );
      await expect(stranger.setData('/own', data)).rejects.toMatchObject({ code: 'NO_AUTH' });
    } finally {
      await relay.close();
    }
  });
});

/** Asks again until there is no answer any more, and gives the error. */
async function untilRejected(ask: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    try {
      await ask();
    } catch (error) {
      return error;
    }
  }
}
