import { afterAll, afterEach, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { Relay } from '../../contract/index.ts';
import { Instant, systemClock } from '../../core/clock.ts';
import { createLocks, type Lease, type Locks, type LocksOptions } from '../../index.ts';
import { fromIoredis } from '../redis/index.ts';
import { codeOf, requestFor, sleep, until as untilWithin } from '../redis/test-support/requests.ts';
import { type RedlockBackend, type RedlockBackendOptions, redlockBackend } from './index.ts';
import { RedlockServers, withClients } from './test-support/redlock-servers.ts';

let servers: RedlockServers;
const cleanUps: (() => Promise<unknown> | unknown)[] = [];
let names = 0;

beforeAll(async () => {
  servers = await RedlockServers.start();
}, 60_000);

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  await Promise.all(servers.all.map(({ admin }) => admin.flushall()));
});

afterAll(() => servers.stop());

/** Where the time for an answer is not what is looked at. */
const PATIENT: RedlockBackendOptions = { nodeTimeoutMs: 5_000 };

/** Far beyond what it takes: a loaded machine is slow, and nothing else. */
const until = (what: string, condition: () => boolean | Promise<boolean>): Promise<void> =>
  untilWithin(what, condition, 20_000);
const newName = (): string => `fact:${++names}`;
const soon = (): Instant => Instant.plus(systemClock.now(), 5_000);

function open(options: RedlockBackendOptions = {}): RedlockBackend {
  const backend = servers.backend(options);
  cleanUps.push(() => backend.close());
  return backend;
}

function locksOn(backend: RedlockBackend, options: LocksOptions = {}): Locks<Lease> {
  const locks = createLocks(backend, { ttlMs: 10_000, ...options });
  cleanUps.push(() => locks.close());
  return locks;
}

/** A lease with the votes of all five: at its first use a server may be late, and then has none. */
async function heldOnAll(
  locks: Locks<Lease>,
  name: string,
  { purpose, keyPrefix = 'holdfast:' }: { readonly purpose?: string; readonly keyPrefix?: string } = {},
): Promise<Lease> {
  for (;;) {
    const lease = await locks.lock(name).acquire(purpose === undefined ? {} : { purpose });
    for (let looks = 0; looks < 50; looks++) {
      if ((await servers.votes(name, keyPrefix)) === 5) return lease;
      await sleep(10);
    }
    await lease.release();
  }
}

function freeze(...places: number[]): () => void {
  const frozen = places.map((place) => servers.at(place));
  const thaw = (): void => {
    for (const server of frozen) server.resume();
  };
  for (const server of frozen) server.pause();
  cleanUps.push(thaw);
  return thaw;
}

describe('a lock on five servers', () => {
  it('is had within the time for one server while one is dead and one is frozen, and leaves nothing where that wakes', async () => {
    const name = newName();
    const [locks, rivals] = [locksOn(open({ nodeTimeoutMs: 1_000 })), locksOn(open({ nodeTimeoutMs: 1_000 }))];
    await locks.lock('warm').run(() => undefined);
    await rivals.lock('warm').run(() => undefined);
    await servers.at(4).kill();
    const thaw = freeze(3);
    try {
      for (let round = 0; round < 5; round++) {
        const askedAt = performance.now();
        const lease = await locks.lock(name).acquire();
        expect(await rivals.lock(name).tryAcquire()).toBeNull();
        await lease.release();
        expect(performance.now() - askedAt).toBeLessThan(10_000); // 1 s for one server, and a loaded machine
      }
    } finally {
      thaw();
      await servers.at(4).startAgain();
    }
    await until('votes taken back', async () => (await servers.votes(name)) === 0);
  });

  it('cannot be had from two of them, is not waited for longer than that, and leaves no late vote', async () => {
    const name = newName();
    const locks = locksOn(open(), { ttlMs: 60_000 });
    await locks.lock('warm').run(() => undefined);
    const thaw = freeze(2, 3, 4);
    const askedAt = performance.now();
    const error = await locks
      .lock(name)
      .tryAcquire()
      .catch((problem: Error) => problem);
    expect(performance.now() - askedAt).toBeLessThan(2_000);
    expect(error).toMatchObject({ code: 'UNAVAILABLE' });
    expect((error as Error).message).toMatch(/of 5 servers 2 gave it their vote.* 3 votes are needed/);
    expect(await codeOf(locks.lock(name).acquire({ waitMs: 700 }))).toBe('UNAVAILABLE');
    thaw();
    await until('votes taken back', async () => (await servers.votes(name)) === 0);
  });

  it('is given back when the answers came so late that nothing useful is left', async () => {
    const name = newName();
    const relays = await Promise.all(servers.ports.slice(0, 3).map((port) => Relay.start(port)));
    cleanUps.push(() => Promise.all(relays.map((relay) => relay.close())));
    const ports = [...relays.map(({ port }) => port), ...servers.ports.slice(3)];
    const backend = servers.backend({ nodeTimeoutMs: 2_000 }, {}, ports);
    cleanUps.push(() => backend.close());
    const locks = locksOn(backend, { ttlMs: 400, callMs: 3_000 });
    await locks.lock('warm').run(() => undefined);
    for (const relay of relays) relay.slow(200); // each way: the answers come when all is over
    const error = await locks
      .lock(name)
      .tryAcquire()
      .catch((problem: Error) => problem);
    expect(error).toMatchObject({ code: 'UNAVAILABLE' });
    expect((error as Error).message).toContain('nothing useful was left');
    await until('votes taken back', async () => (await servers.votes(name)) === 0);
  });

  it('excludes clients that use SET NX PX on the same keys, and they exclude it', async () => {
    const name = newName();
    const locks = locksOn(open({ ...PATIENT, keyPrefix: '' }), { ttlMs: 30_000 });
    const theirs = (): Promise<unknown[]> =>
      Promise.all(servers.all.map(({ admin }) => admin.set(name, 'f2c1b7', 'PX', 30_000, 'NX')));
    const lease = await heldOnAll(locks, name, { keyPrefix: '' });
    expect(await theirs()).toEqual([null, null, null, null, null]);
    expect(await servers.at(0).admin.type(name)).toBe('string');
    await lease.release();
    await until('no votes', async () => (await servers.votes(name, '')) === 0);
    await theirs();
    expect(await locks.lock(name).tryAcquire()).toBeNull();
    expect(await servers.votes(name, '')).toBe(5);
    const [holder] = [(await open({ keyPrefix: '' }).inspect(name, soon())).holder];
    expect(holder).toMatchObject({ owner: 'f2c1b7', foreign: true });
  });

  it('has no fencing token in its type', () => {
    expectTypeOf(locksOn(open()).lock('x').acquire).returns.resolves.toEqualTypeOf<Lease>();
    expectTypeOf<Lease>().not.toHaveProperty('fencingToken');
  });
});

describe('a renewal', () => {
  it('puts the vote back on a server that came back empty, so that restarts one after the other cost no lock', async () => {
    const name = newName();
    const lease = await heldOnAll(locksOn(open(PATIENT), { ttlMs: 30_000 }), name);
    const rival = locksOn(open(PATIENT));
    for (const place of [0, 1, 2]) {
      await servers.at(place).restart();
      await lease.confirm();
      await until('the vote put back', async () => (await servers.votes(name)) === 5);
      expect(await rival.lock(name).tryAcquire()).toBeNull();
    }
    expect(lease.state).toBe('held');
    await lease.release();
    await until('no votes', async () => (await servers.votes(name)) === 0);
  });

  it('never puts it back where a majority has forgotten the lock: that is lost, and what is left of it is taken back', async () => {
    const name = newName();
    const lease = await heldOnAll(locksOn(open(PATIENT), { ttlMs: 30_000 }), name);
    await Promise.all([0, 1, 2].map((place) => servers.at(place).restart()));
    expect(await codeOf(lease.confirm())).toBe('LOST');
    expect(lease.signal.reason).toMatchObject({ reason: 'taken' });
    await until('no votes', async () => (await servers.votes(name)) === 0);
    await sleep(300);
    expect(await servers.votes(name)).toBe(0);
  });

  it('of a lock that was released meanwhile puts nothing back', async () => {
    const name = newName();
    const backend = open(PATIENT);
    const request = requestFor(name, { ttlMs: 30_000 });
    expect(await backend.tryAcquire(request, soon())).toMatchObject({ outcome: 'granted' });
    await servers.at(0).restart();
    const renewing = backend.renew([request], soon());
    await backend.release(request, soon());
    await renewing;
    await until('no votes', async () => (await servers.votes(name)) === 0);
    await sleep(300);
    expect(await servers.votes(name)).toBe(0);
  });
});

describe('a request', () => {
  it('that arrives after it was withdrawn gets nothing, and leaves nothing', async () => {
    const backend = open();
    const late = requestFor(newName(), { ttlMs: 60_000 });
    await backend.withdraw(late, { mayArriveLate: true }, soon());
    expect(await backend.tryAcquire(late, soon())).toMatchObject({ outcome: 'busy' });
    // A server that the withdrawal had not reached yet may have voted: it is asked to take that back.
    await until('no votes', async () => (await servers.votes(late.name)) === 0);
    expect(await backend.tryAcquire(requestFor(late.name), soon())).toMatchObject({ outcome: 'granted' });
  });

  it('says when enough votes have run out, whoever has them', async () => {
    const [backend, name] = [open(), newName()];
    const rests = [9_000, 3_000, 7_000, 5_000];
    await Promise.all(rests.map((rest, at) => servers.at(at).admin.set(`holdfast:${name}`, 'x', 'PX', rest)));
    const answer = await backend.tryAcquire(requestFor(name), soon());
    expect(answer).toMatchObject({ outcome: 'busy' });
    // One vote is free: with those that run out after 3 and 5 seconds there are three. It may not have heard of all.
    const { retryInMs = 0 } = answer as { retryInMs?: number };
    expect(retryInMs).toBeGreaterThan(4_000);
    expect(retryInMs).toBeLessThanOrEqual(9_000);
  });
});

describe('people on call', () => {
  it('see the holder while a majority answers, and take the lock from it', async () => {
    const name = newName();
    const lease = await heldOnAll(locksOn(open({ nodeTimeoutMs: 1_000 }), { ttlMs: 30_000 }), name, {
      purpose: 'nightly export',
    });
    const operator = open({ nodeTimeoutMs: 1_000 });
    freeze(3, 4);
    const { holder: seen, waiters } = await operator.inspect(name, soon());
    expect(seen).toMatchObject({ owner: lease.owner, pid: process.pid, purpose: 'nightly export', foreign: false });
    expect(waiters).toEqual([]);
    expect((await operator.list(soon())).map((report) => report.name)).toContain(name);
    const { broken, raiseTo } = await operator.breakLock(name, soon());
    expect(broken?.owner).toBe(lease.owner);
    expect(raiseTo).toBeUndefined();
    await until('the loss', async () => (await codeOf(lease.confirm())) === 'LOST');
    expect(lease.signal.reason).toMatchObject({ reason: 'broken' });
    expect(await operator.inspect(name, soon())).toEqual({ name, holder: null, waiters: [] });
  });

  it('are told that nobody can say it where a majority is silent', async () => {
    const operator = open();
    await operator.inspect('x', soon());
    freeze(0, 1, 2);
    expect(await codeOf(operator.inspect('x', soon()))).toBe('UNAVAILABLE');
    expect(await codeOf(operator.list(soon()))).toBe('UNAVAILABLE');
  });
});

describe('servers that are no five servers', () => {
  it('have one vote together, where five clients lead to one', async () => {
    const clients = Array.from({ length: 5 }, () => servers.at(0).connect());
    const backend = withClients(clients);
    cleanUps.push(() => backend.close());
    const problem = await backend.tryAcquire(requestFor(newName()), soon()).catch((error: Error) => error);
    expect(problem).toMatchObject({ code: 'CONFIG' });
    expect((problem as Error).message).toMatch(/leads to the same server as client \d, and a server has one vote/);
  });

  it('are refused when the backend is made', () => {
    const commands = servers.all.map((server) => ({ send: () => server.admin.ping() }));
    expect(() => redlockBackend(commands.slice(0, 2))).toThrow(/from 3 to 31 servers, and has 2/);
    expect(() => redlockBackend([...commands, commands[0] as (typeof commands)[0]])).toThrow(/the same client twice/);
    expect(() => redlockBackend([...commands, { ...(commands[0] as (typeof commands)[0]), cluster: true }])).toThrow(
      /cluster/,
    );
    expect(() => redlockBackend('redis://a,b,c' as never)).toThrow(TypeError);
    expect(() => redlockBackend(commands, { nodeTimeoutMs: 0 })).toThrow(/nodeTimeoutMs must be from 5/);
  });

  it('keep data where the lock should be: it is left alone, and named', async () => {
    const name = newName();
    await Promise.all(servers.all.map(({ admin }) => admin.rpush(`holdfast:${name}`, 'data')));
    expect(await codeOf(open().tryAcquire(requestFor(name), soon()))).toBe('CONFIG');
    expect(await servers.at(0).admin.lrange(`holdfast:${name}`, 0, -1)).toEqual(['data']);
  });
});

describe('a server that says nothing', () => {
  it.each(['from a moment on', 'from the start'])(
    '%s is asked now and then only, so that nothing piles up for its return',
    async (when) => {
      let sent = 0;
      const clients = servers.all.map((server) => server.connect());
      const commands = clients.map((client, at) => {
        const adapter = fromIoredis(client);
        if (at > 0) return adapter;
        const send = (args: readonly string[]): Promise<unknown> => {
          sent++;
          return adapter.send(args);
        };
        return { send };
      });
      const locks = locksOn(redlockBackend(commands, { nodeTimeoutMs: 50 }));
      cleanUps.unshift(() => {
        for (const client of clients) client.disconnect();
      });
      const name = newName();
      const pairs = async (count: number): Promise<void> => {
        for (let round = 0; round < count; round++) await locks.lock(name).run(() => undefined);
      };
      if (when === 'from a moment on') await pairs(1);
      const thaw = freeze(0);
      await until('its silence noticed', async () => {
        const before = sent;
        await pairs(50);
        return sent - before <= 2;
      });
      const [before, from] = [sent, performance.now()];
      await pairs(200);
      // Each question finds a look before it, of two commands, where there was none yet.
      expect(sent - before).toBeLessThanOrEqual(3 * (2 + (performance.now() - from) / 500));
      thaw();
      await until('its votes again', async () => {
        const asked = sent;
        await pairs(1);
        return sent - asked >= 2;
      });
      await until('no votes', async () => (await servers.votes(name)) === 0);
    },
  );
});
