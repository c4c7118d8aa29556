import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Relay } from '../../contract/relay.ts';
import { monotonicMs, until } from '../../contract/subject.ts';
import { type WorkerLease, WorkerProcess } from '../../contract/worker-process.ts';
import type { Lease } from '../../core/lease.ts';
import { Survivor } from '../../test-support/survivor.ts';
import { JuteReader, JuteWriter } from './client/jute.ts';
import { CreateMode, connectFrame, OPEN_ACL, OpCode, readConnectResponse, type SessionId } from './client/protocol.ts';
import { whyNoZooKeeper, ZooKeeperServer } from './test-support/servers.ts';
import { warmUp } from './test-support/under-test.ts';
import { aborted, reasonOf, TTL_MS, World } from './test-support/world.ts';

const missing = whyNoZooKeeper();

const world = new World();
afterEach(() => world.end());

describe.skipIf(missing !== undefined)('a lock on one ZooKeeper server', () => {
  let server: ZooKeeperServer;

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    await warmUp(server.address);
  }, 60_000);

  afterAll(() => server?.stop());

  it('is granted for the time that the server grants, which may be shorter than what was asked for', async () => {
    const lease = await world.locks(server.address, { ttlMs: 300_000 }).lock('long').acquire();
    expect(lease.ttlMs).toBe(60_000);
    expect(lease.remainingMs).toBeLessThanOrEqual(60_000);
    await lease.confirm();
    expect(lease.ttlMs).toBe(60_000);
    const short = await world.locks(server.address, { ttlMs: 50 }).lock('short').acquire();
    expect(short.ttlMs).toBe(200);
  });

  it('is at risk while there is no connection, and held again once the session is taken up', async () => {
    const relay = await Relay.start(server.port);
    world.onEnd(() => relay.close());
    const lease = await world.locks(`127.0.0.1:${relay.port}`, { ttlMs: 10_000 }).lock('risk').acquire();
    relay.cut();
    await until('the news of the cut', () => lease.state === 'at-risk');
    relay.heal();
    await until('a renewal on the new connection', () => lease.state === 'held');
    await lease.release();
  });

  it('is lost as "disconnected" as soon as the server says that the session is over', async () => {
    const overheard = await overhear(server.port);
    const lease = await world.locks(`127.0.0.1:${overheard.port}`, { ttlMs: 60_000 }).lock('ended').acquire();
    await endSession(server.port, overheard.session());
    await aborted(lease.signal);
    expect(reasonOf(lease.signal)).toBe('disconnected');
    const next = await world.locks(server.address).lock('ended').acquire();
    await next.release();
  });

  it('can be had again from servers that have lost their data, which refuse who has seen more than they know', async () => {
    const locks = world.locks(server.address);
    const lease = await locks.lock('forgotten').acquire();
    await server.kill();
    await rm(join(server.folder, 'version-2'), { recursive: true });
    await server.restart();
    const next = await locks.lock('forgotten').acquire({ waitMs: 20_000 });
    expect(lease.state).toBe('lost');
    await next.release();
  });

  it('is lost by its own clock when the server is frozen; a waiter ends as unavailable, and it works afterwards', async () => {
    const locks = world.locks(server.address);
    const lease = await locks.lock('frozen').acquire();
    server.pause();
    world.onEnd(() => server.resume());
    const pausedAtMs = performance.now();
    const waiting = world.locks(server.address).lock('frozen').acquire({ waitMs: 2_000 });
    const failed = expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect((await aborted(lease.signal)) - pausedAtMs).toBeLessThan(TTL_MS);
    expect(reasonOf(lease.signal)).toBe('expired');
    await failed;
    server.resume();
    const next = await locks.lock('frozen').acquire({ waitMs: 20_000 });
    expect(next.fencingToken > lease.fencingToken).toBe(true);
    expect(lease.state).toBe('lost');
  });

  it('has most of its time before it when it is granted by a server that was frozen during the handshake', async () => {
    const relay = await Relay.start(server.port);
    world.onEnd(() => relay.close());
    const locks = world.locks(`127.0.0.1:${relay.port}`, { ttlMs: 4_000 });
    await (await locks.lock('thawed').acquire()).release();
    server.pause();
    world.onEnd(() => server.resume());
    relay.cut({ refuse: false });
    await until('the next handshake', () => relay.connections === 1);
    await sleep(1_500); // of the session's time, which is what this is about
    server.resume();
    const lease = await locks.lock('thawed').acquire();
    expect(lease.remainingMs).toBeGreaterThan(3_000);
    await lease.release();
  });

  it('lives on when it is granted by a server that was frozen until a moment ago, on a connection that outlived it', async () => {
    const lock = world.locks(server.address, { ttlMs: 3_000 }).lock('again-awake');
    const lost = await lock.acquire();
    server.pause();
    world.onEnd(() => server.resume());
    await aborted(lost.signal);
    server.resume();
    const lease = await lock.acquire();
    await sleep(1_500); // more than was certain of the session when the server woke up
    expect(lease.state).toBe('held');
    await lease.release();
  });

  it('is lost by its own clock when the server is killed, and goes on after it with a new lease and a larger token', async () => {
    const locks = world.locks(server.address);
    const lease = await locks.lock('away').acquire();
    await server.kill();
    const killedAtMs = performance.now();
    const waiting = world.locks(server.address).lock('away').acquire({ waitMs: 2_000 });
    const failed = expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect((await aborted(lease.signal)) - killedAtMs).toBeLessThan(TTL_MS);
    await failed;
    await server.restart();
    const next = await locks.lock('away').acquire({ waitMs: 20_000 });
    expect(next.fencingToken > lease.fencingToken).toBe(true);
    expect(lease.state).toBe('lost');
    await next.release();
  });

  it('does not keep its process alive', async () => {
    const module = new URL('../../../dist/index.mjs', import.meta.url);
    const backend = new URL('../../../dist/backends/zookeeper/index.mjs', import.meta.url);
    const script = `
      import { createLocks } from '${module}';
      import { zookeeperBackend } from '${backend}';
      const lease = await createLocks(zookeeperBackend('${server.address}'), { ttlMs: 30000 }).lock('forgotten').acquire();
      console.log(lease.state);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    world.onEnd(async () => child.kill('SIGKILL'));
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    const [code] = await once(child, 'exit', { signal: AbortSignal.timeout(20_000) });
    expect([code, text]).toEqual([0, 'held\n']);
  });

  it('takes its token from the czxid, which goes on when the lock node was removed and the sequence starts again', async () => {
    const client = await world.client(server.address);
    const lock = world.locks(server.address).lock('token');
    const seen: { sequence: string; token: bigint }[] = [];
    for (let round = 0; round < 2; round++) {
      const first = await lock.acquire();
      await first.release();
      const lease = await lock.acquire();
      const [node] = (await client.getChildren('/holdfast/token')).children;
      expect((await client.exists(`/holdfast/token/${node}`))?.czxid).toBe(lease.fencingToken);
      seen.push({ sequence: node?.slice(-10) as string, token: lease.fencingToken });
      await lease.release();
      await client.delete('/holdfast/token');
    }
    const [before, after] = seen as [(typeof seen)[0], (typeof seen)[0]];
    expect([before.sequence, after.sequence]).toEqual(['0000000001', '0000000001']);
    expect(after.token > before.token).toBe(true);
  });

  it('leaves no watch behind after a thousand waits that time out', async () => {
    const holder = await world.locks(server.address, { ttlMs: 60_000, renew: false }).lock('busy').acquire();
    const waiters = Array.from({ length: 10 }, () => world.locks(server.address, { ttlMs: 30_000 }).lock('busy'));
    for (let round = 0; round < 10; round++) {
      await Promise.all(
        waiters.flatMap((lock) =>
          Array.from({ length: 10 }, async () => {
            // Of a server that has nothing to say for long enough it is not known whether it is busy.
            const code = expect.stringMatching(/^(BUSY|UNAVAILABLE)$/);
            await expect(lock.acquire({ waitMs: 20 })).rejects.toMatchObject({ code });
          }),
        ),
      );
    }
    await until('no watches', async () => (await server.ask('wchs')).includes('Total watches:0'));
    // A node whose making was under way when its wait ended is removed when the answer comes.
    const client = await world.client(server.address);
    await until(
      'no node but the holder',
      async () => (await client.getChildren('/holdfast/busy')).children.length === 1,
    );
    await holder.release();
  });

  it('wakes exactly one waiter for each release, the next in line', async () => {
    const options = { ttlMs: 60_000, waitMs: 60_000, renew: false };
    const client = await world.client(server.address);
    const waits: Promise<Lease>[] = [];
    for (let length = 1; length <= 8; length++) {
      waits.push(world.locks(server.address, options).lock('line').acquire());
      const inLine = async () => (await client.getChildren('/holdfast/line').catch(() => undefined))?.children.length;
      await until(`${length} in line`, async () => (await inLine()) === length);
    }
    await until('all watching', async () => (await server.ask('wchs')).includes('Total watches:7'));
    const watchers = (await server.ask('wchp')).split('\n').filter((line) => line.startsWith('\t'));
    expect(watchers).toHaveLength(7); // one session for each of the paths
    const watchesAnswered = async (): Promise<number> => {
      const counts = (await server.ask('mntr')).matchAll(/^zk_sum_node_\w+_watch_count\t(\d+)/gm);
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const before = await watchesAnswered();
    for (const [index, wait] of waits.entries()) {
      const lease = await wait;
      expect((await watchesAnswered()) - before).toBe(index);
      await lease.release();
    }
    expect((await watchesAnswered()) - before).toBe(waits.length - 1); // nobody waited for the last one
  });

  it('goes to each in the order of arrival when others make nodes between, and one holder in three is killed', async () => {
    const worker = { module: new URL('./test-support/worker.mjs', import.meta.url), data: { servers: server.address } };
    const options = { ttlMs: 2_000, waitMs: 60_000 };
    const workers = await Promise.all(Array.from({ length: 8 }, () => WorkerProcess.start(worker, options)));
    for (const each of workers) world.onEnd(() => each.kill());
    const client = await world.client(server.address);
    const contenders = async (): Promise<number> =>
      (await client.getChildren('/holdfast/mixed')).children.filter((child) => child.startsWith('_c_')).length;
    const first = await world.locks(server.address, { ttlMs: 30_000 }).lock('mixed').acquire();
    const grants: Promise<WorkerLease>[] = [];
    for (const [index, each] of workers.entries()) {
      const node = { mode: CreateMode.persistent, data: Buffer.alloc(0), acl: OPEN_ACL };
      await client.create(`/holdfast/mixed/x${index}`, node);
      const grant = each.acquire('mixed');
      grant.catch(() => undefined); // it is looked at below, or the test has failed before
      grants.push(grant);
      await until('the next in line', async () => (await contenders()) === index + 2);
    }
    let endedAtMs = monotonicMs();
    let last = first.fencingToken;
    await first.release();
    for (const [index, each] of workers.entries()) {
      const grant = (await grants[index]) as WorkerLease;
      expect(grant.atMs).toBeGreaterThan(endedAtMs); // not before the one ahead of it had begun to give it back, or was killed
      expect(BigInt(grant.token as string)).toBeGreaterThan(last);
      last = BigInt(grant.token as string);
      endedAtMs = monotonicMs();
      if (index % 3 === 1) await each.kill();
      else await each.release(grant);
    }
    await until('nobody in line', async () => (await contenders()) === 0);
  }, 60_000);

  it('is one of many of a program that takes no rejection, and lives while its server is cut off, silent, stopped, and killed', async () => {
    const relay = await Relay.start(server.port);
    world.onEnd(() => relay.close());
    await world.locks(server.address, { ttlMs: 60_000 }).lock('busy').acquire();
    const module = new URL('./test-support/worker.mjs', import.meta.url);
    const program = new Survivor(module, { servers: `127.0.0.1:${relay.port}` });
    world.onEnd(() => program.kill());
    await program.liveThrough(relay, {
      pause: () => server.pause(),
      resume: () => server.resume(),
      kill: () => server.kill(),
      start: async () => {
        await server.spawn();
        await server.untilReady();
      },
    });
    expect([await program.end(), program.complaints]).toEqual([0, '']);
    expect(program.seen.losses).toBeGreaterThan(0);
    const expected = ['ABORTED', 'BUSY', 'LOST', 'OUTCOME_UNKNOWN', 'UNAVAILABLE'];
    for (const code of Object.keys(program.seen.errors)) expect(expected).toContain(code);
  }, 90_000);

  it('belongs to its user when there is one: every node, the ones above included', async () => {
    const digest = { user: 'lock', password: 'secret' };
    const secret = { root: '/sec/a/b', digest };
    const lease = await world.locks(server.address, {}, secret).lock('mine').acquire();
    const stranger = await world.client(server.address);
    for (const path of ['/sec', '/sec/a', '/sec/a/b', '/sec/a/b/mine']) {
      await expect(stranger.getChildren(path)).rejects.toMatchObject({ code: 'NO_AUTH' });
      await expect(stranger.getAcl(path)).rejects.toMatchObject({ code: 'NO_AUTH' });
      await expect(
        stranger.create(`${path}/x`, { mode: CreateMode.persistent, data: Buffer.alloc(0), acl: OPEN_ACL }),
      ).rejects.toMatchObject({ code: 'NO_AUTH' });
    }
    const client = await world.client(server.address);
    await expect(client.delete('/sec')).rejects.toMatchObject({ code: 'NOT_EMPTY' });
    await expect(world.locks(server.address, {}, { root: '/sec/a/b' }).lock('mine').acquire()).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
    });
    expect(await world.locks(server.address, {}, secret).lock('mine').tryAcquire()).toBeNull();
    await lease.confirm();
    await lease.release();
  });

  it('is open to everybody without a user', async () => {
    const lease = await world.locks(server.address).lock('open').acquire();
    const stranger = await world.client(server.address);
    const [node] = (await stranger.getChildren('/holdfast/open')).children;
    await stranger.delete(`/holdfast/open/${node}`);
    await lease.confirm().catch(() => undefined);
    expect(reasonOf(lease.signal)).toBe('broken');
  });

  it('says that the chroot is missing', async () => {
    await expect(world.locks(`${server.address}/nowhere`).lock('x').acquire()).rejects.toMatchObject({
      code: 'CONFIG',
    });
  });
});

/** A way to the server on which the answer to the handshake is overheard: it has the id and the password of the session. */
async function overhear(port: number): Promise<{ port: number; session(): SessionId }> {
  let answer: Buffer | undefined;
  const way = createServer((client) => {
    const toServer = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, toServer],
      [toServer, client],
    ] as const) {
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
    toServer.once('data', (chunk: Buffer) => {
      answer ??= chunk;
    });
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  world.onEnd(async () => way.close());
  const session = (): SessionId => readConnectResponse(new JuteReader((answer as Buffer).subarray(4))).session;
  return { port: (way.address() as AddressInfo).port, session };
}

/** Takes a session up on a connection of its own, and ends it: as an operator's tool would. */
async function endSession(port: number, session: SessionId): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.write(connectFrame({ session, timeoutMs: 60_000, lastZxid: 0n }));
  await once(socket, 'data');
  socket.write(new JuteWriter().int(1).int(OpCode.closeSession).frame());
  await once(socket, 'close');
}
