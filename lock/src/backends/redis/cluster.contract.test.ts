import { createCluster } from '@redis/client';
import { GlideClusterClient, Logger } from '@valkey/valkey-glide';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocks, type FencedLease } from '../../index.ts';
import { fromGlide, fromIoredis, fromNodeRedis, type RedisCommands, redisBackend } from './index.ts';
import { beside } from './layout.ts';
import { RedisCluster } from './test-support/redis-cluster.ts';
import type { RedisServer } from './test-support/redis-server.ts';
import { codeOf, requestFor, sleep, until } from './test-support/requests.ts';

let cluster: RedisCluster;

beforeAll(async () => {
  Logger.setLoggerConfig('off');
  cluster = await RedisCluster.start({ replicas: 1 });
}, 60_000);
afterAll(() => cluster.stop());

interface Opened {
  readonly commands: RedisCommands;
  close(): unknown;
}

const clients: Readonly<Record<string, () => Promise<Opened>>> = {
  ioredis: async () => {
    const client = new Cluster(cluster.addresses).on('error', () => undefined);
    return { commands: fromIoredis(client), close: () => client.disconnect() };
  },
  'ioredis, with a prefix': async () => {
    const client = new Cluster(cluster.addresses, { keyPrefix: 'app:' }).on('error', () => undefined);
    return { commands: fromIoredis(client), close: () => client.disconnect() };
  },
  'node-redis': async () => {
    const client = createCluster({ rootNodes: cluster.addresses.map((socket) => ({ socket })) });
    client.on('error', () => undefined);
    await client.connect();
    return { commands: fromNodeRedis(client), close: () => client.destroy() };
  },
  'Valkey GLIDE': async () => {
    const config = { addresses: cluster.addresses, requestTimeout: 5_000 };
    const client = await GlideClusterClient.createClient(config);
    const commands = fromGlide(client, {
      cluster: true,
      openSubscriber: (callback) =>
        GlideClusterClient.createClient({ ...config, pubsubSubscriptions: { channelsAndPatterns: {}, callback } }),
    });
    return { commands, close: () => client.close() };
  },
};

/** How many processes listen there for what concerns a lock. */
async function inboxesOn({ admin }: RedisServer, tail: string): Promise<number> {
  const channels = (await admin.call('PUBSUB', 'SHARDCHANNELS', 'holdfast.inbox:*')) as string[];
  return channels.filter((channel) => channel.endsWith(tail)).length;
}

/** Moves a slot with all that is in it. */
async function moveSlotOf(name: string, fromPlace: number, toPlace: number): Promise<void> {
  const [from, to] = [cluster.nodes[fromPlace], cluster.nodes[toPlace]] as [RedisServer, RedisServer];
  const slot = String(await from.admin.call('CLUSTER', 'KEYSLOT', `holdfast:${name}`));
  await to.admin.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', await cluster.idOf(fromPlace));
  await from.admin.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', await cluster.idOf(toPlace));
  for (const key of (await from.admin.call('CLUSTER', 'GETKEYSINSLOT', slot, '100')) as string[]) {
    await from.admin.call('MIGRATE', '127.0.0.1', String(to.port), key, '0', '5000');
  }
  for (const { admin } of cluster.nodes) {
    await admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', await cluster.idOf(toPlace));
  }
}

const followers = Object.entries(clients).filter(([name]) => name === 'ioredis' || name === 'node-redis');

describe.each(Object.entries(clients))('on a cluster, through %s', (_name, open) => {
  it('locks of all slots are taken in one turn, handed over, and given back', async () => {
    const [one, two] = [await open(), await open()];
    const [ours, theirs] = [redisBackend(one.commands), redisBackend(two.commands)];
    const names = Array.from({ length: 60 }, (_, index) =>
      index % 2 === 0 ? `n${index}` : `a{tag${index % 7}}${index}`,
    );
    const held = names.map((name) => requestFor(name));
    for (const answer of await Promise.all(held.map((request) => ours.tryAcquire(request)))) {
      expect(answer.outcome).toBe('granted');
    }
    const waiters = names.map((name) => requestFor(name));
    await Promise.all(waiters.map((request) => theirs.queue('enter', request)));
    await Promise.all(held.map((request) => ours.release(request)));
    for (const answer of await Promise.all(waiters.map((request) => theirs.queue('stay', request)))) {
      expect(answer.outcome).toBe('granted');
    }
    const listed = ours.list().then((reports) => reports.map(({ name }) => name));
    if (one.commands.servers !== undefined) expect(await listed).toEqual([...names].sort());
    else expect(await codeOf(listed)).toBe('UNSUPPORTED');
    // Nothing could stand beside this key in the same slot.
    expect(await codeOf(ours.tryAcquire(requestFor('a}b')))).toBe('CONFIG');
    for (const request of waiters) expect(await theirs.release(request)).toBe('released');
    await ours.close();
    await theirs.close();
    one.close();
    two.close();
  });

  it('a release reaches a waiter that is connected to any node', async () => {
    const [one, two] = [await open(), await open()];
    const [ours, theirs] = [createLocks(redisBackend(one.commands)), createLocks(redisBackend(two.commands))];
    for (let round = 0; round < 6; round++) {
      const lease = await ours.lock(`r${round}`).acquire();
      const waiting = theirs.lock(`r${round}`).acquire();
      await sleep(100);
      const releasedAt = performance.now();
      await lease.release();
      await (await waiting).release();
      expect(performance.now() - releasedAt).toBeLessThan(4_000); // a heartbeat would take 5 s
    }
    await ours.close();
    await theirs.close();
    one.close();
    two.close();
  });
});

describe.each(followers)('on a cluster that changes, through %s', (_name, open) => {
  it('a lock whose slot moves is kept, waited for, and given back on the other node', async () => {
    const name = await cluster.nameOn(0, `moving-${_name}-`);
    const [from, to] = cluster.nodes as [RedisServer, RedisServer];
    const slot = String(await from.admin.call('CLUSTER', 'KEYSLOT', `holdfast:${name}`));
    const [one, two] = [await open(), await open()];
    const ours = createLocks(redisBackend(one.commands), { ttlMs: 10_000 });
    const theirs = createLocks(redisBackend(two.commands), { ttlMs: 10_000 });
    const lease: FencedLease = await ours.lock(name).acquire();
    const waiting = theirs.lock(name).acquire({ waitMs: 60_000 });
    await until('a waiter in line', async () => (await from.admin.zcard(`holdfast.queue:{holdfast:${name}}`)) === 1);
    await to.admin.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', await cluster.idOf(0));
    await from.admin.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', await cluster.idOf(1));
    // Key by key, so that the lock's keys are on both nodes for a while: what is asked then is done as a whole, or refused.
    const beside = redisBackend(two.commands);
    const move = (key: string): Promise<unknown> =>
      from.admin.call('MIGRATE', '127.0.0.1', String(to.port), key, '0', '5000');
    const said = new Set<unknown>();
    for (const what of ['queue', 'waiters', 'token']) {
      await move(`holdfast.${what}:{holdfast:${name}}`);
      said.add(await codeOf(beside.tryAcquire(requestFor(name)).then(({ outcome }) => expect(outcome).toBe('busy'))));
      said.add(await codeOf(beside.tryAcquire(requestFor(`other{holdfast:${name}}`))));
      await lease.confirm();
    }
    for (const code of said) expect(['resolved', 'UNAVAILABLE']).toContain(code);
    // The line is there, the lock still here.
    await from.admin.config('RESETSTAT');
    const released = lease.release();
    await until('a release that was asked for twice', async () => (await from.calls('evalsha')) >= 2);
    expect(await from.admin.exists(`holdfast:${name}`)).toBe(1);
    await move(`holdfast:${name}`);
    for (const { admin } of cluster.nodes) await admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', await cluster.idOf(1));
    await released;
    const rival: FencedLease = await waiting;
    expect(rival.fencingToken).toBeGreaterThan(lease.fencingToken);
    expect(await to.admin.exists(`holdfast:${name}`)).toBe(1);
    await rival.release();
    await ours.close();
    await theirs.close();
    one.close();
    two.close();
  }, 60_000);

  it('hand-overs are told on the shard of the lock and nowhere else, also when its slot has moved', async () => {
    const name = await cluster.nameOn(1, `sharded-${_name}-`);
    const tagged = `tagged{holdfast:${name}}`; // in the same slot
    const [, from, to] = cluster.nodes as [RedisServer, RedisServer, RedisServer];
    const [one, two] = [await open(), await open()];
    const [ours, theirs] = [createLocks(redisBackend(one.commands)), createLocks(redisBackend(two.commands))];
    const handOver = async (lockName: string, node: RedisServer): Promise<void> => {
      const tail = beside(`holdfast:${lockName}`);
      const lease = await ours.lock(lockName).acquire({ waitMs: 30_000 });
      const waiting = theirs.lock(lockName).acquire({ waitMs: 60_000 });
      await until('an inbox on the shard', async () => (await inboxesOn(node, tail)) === 1, 20_000);
      await until('a waiter in line', async () => (await node.admin.zcard(`holdfast.queue${tail}`)) === 1);
      for (const { admin } of cluster.nodes) await admin.config('RESETSTAT');
      await lease.release();
      await (await waiting).release();
      for (const each of cluster.nodes) {
        expect(await each.calls('publish')).toBe(0);
        // The hand-over, and that nobody waits any more, for clients of another layout.
        if (each === node) expect(await each.calls('spublish')).toBeGreaterThanOrEqual(2);
        else expect(await each.calls('spublish')).toBe(0);
      }
    };
    await handOver(name, from);
    await handOver(tagged, from);
    await moveSlotOf(name, 1, 2);
    await handOver(name, to);
    await handOver(tagged, to);
    await ours.close();
    await theirs.close();
    one.close();
    two.close();
  }, 90_000);

  it('locks that a replica must acknowledge: those with a replica are given, those without are given back', async () => {
    const opened = await open();
    const backend = redisBackend(opened.commands, { replicas: 1, acknowledgeMs: 500 });
    const names = await Promise.all(['a', 'b', 'c'].map((each) => cluster.nameOn(0, `acknowledged-${each}-`)));
    const bare = await cluster.nameOn(2, 'bare-');
    const requests = names.map((each) => requestFor(each));
    for (const answer of await Promise.all(requests.map((request) => backend.tryAcquire(request)))) {
      expect(answer.outcome).toBe('granted');
    }
    for (const each of names) {
      expect(
        await cluster.replicas[0]?.admin.call('GET', `holdfast.token:{holdfast:${each}}`).catch(String),
      ).toBeTruthy();
    }
    const error = await backend.tryAcquire(requestFor(bare)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'TooFewReplicasError', acknowledged: 0, replicas: 1 });
    expect(await cluster.nodes[2]?.admin.exists(`holdfast:${bare}`)).toBe(0);
    for (const request of requests) expect(await backend.release(request)).toBe('released');
    await backend.close();
    opened.close();
  });
});

it('a waiter that may not listen on the shard is told by all nodes, by those who may, too', async () => {
  const everywhere = [...cluster.nodes, ...cluster.replicas];
  for (const { admin } of everywhere) {
    await admin.call('ACL', 'SETUSER', 'plain', 'on', 'nopass', '~*', '&*', '+@all', '-spublish', '-ssubscribe');
  }
  const full = new Cluster(cluster.addresses).on('error', () => undefined);
  const redisOptions = { username: 'plain', password: 'any' };
  const plain = new Cluster(cluster.addresses, { redisOptions }).on('error', () => undefined);
  const [ours, theirs] = [createLocks(redisBackend(fromIoredis(full))), createLocks(redisBackend(fromIoredis(plain)))];
  const name = await cluster.nameOn(2, 'mixed-');
  const [, , node] = cluster.nodes as [RedisServer, RedisServer, RedisServer];
  await theirs.lock(name).run(() => undefined);
  const lease = await ours.lock(name).acquire();
  const waiting = theirs.lock(name).acquire({ waitMs: 60_000 });
  const tail = beside(`holdfast:${name}`);
  await until('a waiter in line', async () => (await node.admin.zcard(`holdfast.queue${tail}`)) === 1);
  await node.admin.config('RESETSTAT');
  await lease.release();
  await (await waiting).release();
  expect(await node.calls('publish')).toBeGreaterThanOrEqual(2); // the hand-over, and the release of who may not
  expect(await node.calls('spublish')).toBe(0);
  await ours.close();
  await theirs.close();
  for (const client of [full, plain]) client.disconnect();
  for (const { admin } of everywhere) await admin.call('ACL', 'DELUSER', 'plain');
});

it('a client of one node of a cluster is refused, and told what it takes', async () => {
  const [node] = cluster.nodes;
  const client = node?.connect();
  if (client === undefined) throw new Error('There is no node.');
  const backend = redisBackend(fromIoredis(client));
  const codes = new Set<unknown>();
  for (let index = 0; index < 20; index++) codes.add(await codeOf(backend.tryAcquire(requestFor(`n${index}`))));
  expect(codes).toContain('CONFIG');
  expect(codes).not.toContain('OUTCOME_UNKNOWN');
  await backend.close();
  client.disconnect();
});
