import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../backends/memory/index.ts';
import { ManualClock, TestBackend } from '../testing/index.ts';
import { Instant } from './clock.ts';
import { BackendUnavailableError, LeaseLostError, LockError, OutcomeUnknownError } from './errors.ts';
import type { Lease } from './lease.ts';
import { createLocks, type LocksOptions } from './lock.ts';

function setUp(options: LocksOptions = {}, store = new MemoryStore()) {
  const clock = new ManualClock();
  const backend = new TestBackend(store, clock);
  const locks = createLocks(backend, { ttlMs: 3_000, clock, ...options });
  return { clock, backend, locks, lock: locks.lock('order:1'), store };
}

/** A promise together with what became of it. */
function outcome(promise: Promise<unknown>): { value?: unknown; code?: string; settled: boolean } {
  const seen: { value?: unknown; code?: string; settled: boolean } = { settled: false };
  promise.then(
    (value) => Object.assign(seen, { value, settled: true }),
    (error: LockError) => Object.assign(seen, { code: error.code ?? error.name, settled: true }),
  );
  return seen;
}

function noteAndRelease(order: string[], who: string) {
  return async (lease: Lease): Promise<void> => {
    order.push(who);
    await lease.release();
  };
}

describe('a lease', () => {
  it('is held with a token, and a try meanwhile gives null', async () => {
    const { lock } = setUp();
    const lease = await lock.acquire();
    expect(lease.state).toBe('held');
    expect(lease.fencingToken).toBe(1n);
    expect(await lock.tryAcquire()).toBeNull();
    await lease.release();
    expect(lease.state).toBe('released');
    const next = await lock.tryAcquire();
    expect(next?.fencingToken).toBe(2n);
  });

  it('is renewed for as long as its holder wants', async () => {
    const { lock, clock } = setUp();
    const lease = await lock.acquire();
    await clock.advance(60_000);
    expect(lease.state).toBe('held');
    expect(lease.remainingMs).toBeGreaterThan(1_500);
  });

  it('is renewed in the company of many: a thousand in one call, and none is left behind', async () => {
    const { locks, clock, backend } = setUp();
    const calls: number[] = [];
    const renew = backend.renew.bind(backend);
    backend.renew = (holds) => {
      calls.push(holds.length);
      return renew(holds);
    };
    const leases = await Promise.all(
      Array.from({ length: 2_500 }, (_, index) => locks.lock(`order:${index}`).acquire()),
    );
    await clock.advance(1_100);
    expect(calls).toEqual([1_000, 1_000, 500]);
    await clock.advance(10_000);
    expect(leases.every(({ state }) => state === 'held')).toBe(true);
    expect(Math.max(...calls)).toBe(1_000);
  });

  it('counts from before the request left, less the allowance for drift', async () => {
    const { lock } = setUp({ renew: false });
    const lease = await lock.acquire();
    expect(lease.remainingMs).toBe(3_000 - 30 - 2);
  });

  it('aborts its signal a margin before its time is over when renewal is off', async () => {
    const { lock, clock } = setUp({ renew: false });
    const lease = await lock.acquire();
    await clock.advance(2_817);
    expect(lease.signal.aborted).toBe(false);
    await clock.advance(2);
    expect(lease.signal.aborted).toBe(true);
    expect(lease.signal.reason).toBeInstanceOf(LeaseLostError);
    expect(lease.signal.reason).toMatchObject({ code: 'LOST', reason: 'expired', lockName: 'order:1' });
    expect(() => lease.assertHeld()).toThrow(/Renewal is off/);
  });

  it('lasts for its whole TTL after a hand-over as well where renewal is off', async () => {
    const store = new MemoryStore();
    const { lock, clock } = setUp({ ttlMs: 60_000 }, store);
    const rival = createLocks(new TestBackend(store, clock), { ttlMs: 60_000, renew: false, clock });
    const held = await lock.acquire();
    const waiting = rival.lock('order:1').acquire({ waitMs: 20_000 });
    await clock.advance(1_000);
    await held.release();
    const lease = await waiting;
    await clock.advance(50_000);
    expect(lease.state).toBe('held');
    await clock.advance(15_000);
    expect(lease.signal.reason).toMatchObject({ reason: 'expired' });
  });

  it('is lost at the first look after a pause, before any timer runs', async () => {
    const { lock, clock } = setUp();
    const lease = await lock.acquire();
    clock.jump(5_000);
    expect(lease.remainingMs).toBe(0);
    expect(lease.state).toBe('lost');
    expect(lease.signal.aborted).toBe(true);
    expect(() => lease.assertHeld()).toThrow(/stopped, suspended or its event loop blocked/);
  });

  it('is lost when the backend says that it is not ours, and is not acquired anew', async () => {
    const { lock, clock, store } = setUp();
    const lease = await lock.acquire();
    store.rows.clear();
    await clock.advance(1_001);
    expect(lease.signal.reason).toMatchObject({ reason: 'taken' });
    expect(store.rows.get('order:1')?.holder).toBeUndefined();
  });

  it('is lost at once when an operator breaks the lock', async () => {
    const { lock, backend } = setUp();
    const lease = await lock.acquire();
    const { raiseTo } = await backend.breakLock('order:1');
    expect(lease.signal.reason).toMatchObject({ reason: 'broken' });
    const next = await lock.acquire();
    expect(raiseTo).toBeGreaterThan(lease.fencingToken);
    expect(next.fencingToken).toBeGreaterThan(raiseTo);
  });

  it('is lost on command in a test', async () => {
    const { lock, backend } = setUp();
    const lease = await lock.acquire();
    expect(backend.loseLease('order:1')).toBe(true);
    expect(lease.state).toBe('lost');
    expect(backend.loseLease('order:1')).toBe(false);
  });

  it('is lost after maxHoldMs however well it is renewed', async () => {
    const { lock, clock } = setUp({ maxHoldMs: 10_000 });
    const lease = await lock.acquire();
    await clock.advance(9_990);
    expect(lease.state).toBe('held');
    await clock.advance(20);
    expect(lease.signal.reason).toMatchObject({ reason: 'max-hold' });
  });

  it('ends by maxHoldMs without anybody looking at it, before its first renewal or after', async () => {
    for (const maxHoldMs of [500, 4_000]) {
      const { lock, clock } = setUp({ maxHoldMs });
      const { signal } = await lock.acquire();
      await clock.advance(maxHoldMs - 1);
      expect(signal.aborted).toBe(false);
      await clock.advance(2);
      expect(signal.reason).toMatchObject({ reason: 'max-hold' });
    }
  });

  it('ends by maxHoldMs though its holder has put the first renewal off to after it', async () => {
    const { lock, clock } = setUp({ maxHoldMs: 1_500 });
    const lease = await lock.acquire();
    const { signal } = lease;
    await clock.advance(900);
    const confirmed = lease.confirm();
    await clock.advance(590);
    await confirmed;
    expect(signal.aborted).toBe(false);
    await clock.advance(20);
    expect(signal.reason).toMatchObject({ reason: 'max-hold' });
  });

  it('that is over before its first renewal has no timer of its own', async () => {
    const { locks, lock, clock } = setUp();
    await (await lock.acquire()).release();
    const { timers } = clock;
    const leases = await Promise.all(
      Array.from({ length: 100 }, (_, index) => locks.lock(`short:${index}`).tryAcquire()),
    );
    expect(clock.timers).toBe(timers);
    await Promise.all(leases.map((lease) => lease?.release()));
  });

  it('survives renewals without an answer until its time is over, and is at risk meanwhile', async () => {
    const { lock, clock, backend } = setUp();
    const lease = await lock.acquire();
    let silent = true;
    const renew = backend.renew.bind(backend);
    backend.renew = (holds) => (silent ? new Promise(() => undefined) : renew(holds));
    await clock.advance(2_000);
    expect(lease.state).toBe('at-risk');
    silent = false;
    await clock.advance(600);
    expect(lease.state).toBe('held');
    silent = true;
    await clock.advance(3_000);
    expect(lease.signal.reason).toMatchObject({ reason: 'expired' });
    expect(lease.signal.reason.message).toMatch(/No renewal was answered within its TTL of 3000 ms; [2-9] were sent/);
  });

  it('confirms with the backend, and says so when it does not answer', async () => {
    const { lock, clock, backend, store } = setUp();
    const lease = await lock.acquire();
    await clock.advance(500);
    await lease.confirm();
    expect(lease.remainingMs).toBe(2_968);
    backend.renew = () => new Promise(() => undefined);
    const unanswered = outcome(lease.confirm());
    await clock.advance(501);
    expect(unanswered.code).toBe('OUTCOME_UNKNOWN');
    delete (backend as Partial<TestBackend>).renew;
    store.rows.clear();
    await expect(lease.confirm()).rejects.toMatchObject({ code: 'LOST', reason: 'taken' });
  });

  it('releases once: a second release is the same', async () => {
    const { lock } = setUp();
    const lease = await lock.acquire();
    expect(lease.release()).toBe(lease.release());
    await lease.release();
    expect(() => lease.assertHeld()).toThrow(LeaseLostError);
  });

  it('says at its release that it had been lost', async () => {
    const { lock, clock } = setUp({ renew: false });
    const lease = await lock.acquire();
    clock.jump(4_000);
    await expect(lease.release()).rejects.toMatchObject({ code: 'LOST', reason: 'expired' });
  });

  it('is released by the end of its block', async () => {
    const { lock } = setUp();
    {
      await using lease = await lock.acquire();
      lease.assertHeld();
    }
    expect(await lock.tryAcquire()).not.toBeNull();
  });
});

describe('a release without an answer', () => {
  it('counts as done when the next answer is "not held"', async () => {
    const { lock, clock, backend } = setUp();
    const lease = await lock.acquire();
    const release = backend.release.bind(backend);
    let calls = 0;
    backend.release = async (hold) => {
      const answer = await release(hold);
      if (++calls === 1) throw new Error('connection reset after the request had left');
      return answer;
    };
    const released = outcome(lease.release());
    await clock.advance(100);
    expect(released).toMatchObject({ settled: true, value: undefined });
    expect(released.code).toBeUndefined();
    expect(calls).toBe(2);
  });

  it('rejects as unavailable within its bound, and goes on in the background', async () => {
    const { lock, clock, backend } = setUp();
    const lease = await lock.acquire();
    const release = backend.release.bind(backend);
    backend.release = () => Promise.reject(new BackendUnavailableError('away'));
    const released = outcome(lease.release());
    await clock.advance(3_000);
    expect(released.code).toBe('UNAVAILABLE');
    backend.release = release;
    await clock.advance(1_000);
    expect(await backend.inspect('order:1')).toMatchObject({ holder: null });
    expect(clock.timers).toBe(0);
  });
});

describe('waiters of one process', () => {
  it('get the lock in the order in which they asked, each with a larger token', async () => {
    const { lock } = setUp();
    const tokens: bigint[] = [];
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        lock.run(async (lease) => {
          order.push(index);
          tokens.push(lease.fencingToken);
        }),
      ),
    );
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(tokens).toEqual([...tokens].sort((a, b) => (a < b ? -1 : 1)));
    expect(new Set(tokens).size).toBe(20);
  });

  it('give up when their time is over, with the lock and the number in the message', async () => {
    const { lock, clock } = setUp();
    await lock.acquire();
    const waiting = outcome(lock.acquire({ waitMs: 500 }));
    const error = lock.acquire({ waitMs: 500 }).catch((reason: LockError) => reason);
    await clock.advance(499);
    expect(waiting.settled).toBe(false);
    await clock.advance(2);
    expect(waiting.code).toBe('BUSY');
    expect(((await error) as LockError).message).toMatch(/"order:1".*500 ms/);
  });

  it('do not wait at all with waitMs 0', async () => {
    const { lock } = setUp();
    await lock.acquire();
    await expect(lock.acquire({ waitMs: 0 })).rejects.toMatchObject({ code: 'BUSY', waitMs: 0 });
  });

  it('leave when their signal aborts, and no listener stays behind', async () => {
    const { lock, clock, backend } = setUp();
    const lease = await lock.acquire();
    const abort = new AbortController();
    const waits = Array.from({ length: 50 }, () => outcome(lock.acquire({ signal: abort.signal })));
    expect(getEventListeners(abort.signal, 'abort').length).toBe(1);
    abort.abort(new Error('changed my mind'));
    await clock.advance(1);
    expect(waits.every((wait) => wait.code === 'ABORTED')).toBe(true);
    expect(getEventListeners(abort.signal, 'abort').length).toBe(0);
    await lease.release();
    expect(await backend.inspect('order:1')).toEqual({ name: 'order:1', holder: null, waiters: [] });
    await clock.advance(10_000); // the two timers that many share: of calls, and of renewals
    expect(clock.timers).toBe(0);
    await expect(lock.acquire({ signal: abort.signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('are replaced in place: the process keeps its turn when the first of them leaves', async () => {
    const store = new MemoryStore();
    const one = setUp({}, store);
    const others = [1, 2].map(() => {
      const backend = new TestBackend(store, one.clock);
      return createLocks(backend, { ttlMs: 3_000, clock: one.clock }).lock('order:1');
    });
    const lease = await one.lock.acquire();
    const order: string[] = [];
    const first = outcome((others[0] as typeof one.lock).acquire({ waitMs: 100 }));
    void (others[0] as typeof one.lock).acquire().then(noteAndRelease(order, 'first process'));
    await one.clock.advance(10);
    void (others[1] as typeof one.lock).acquire().then(noteAndRelease(order, 'second process'));
    await one.clock.advance(200);
    expect(first.code).toBe('BUSY');
    await lease.release();
    await one.clock.advance(10);
    expect(order).toEqual(['first process', 'second process']);
  });

  it('wait behind waiters of other processes when their own process releases', async () => {
    const store = new MemoryStore();
    const one = setUp({}, store);
    const two = createLocks(new TestBackend(store, one.clock), { ttlMs: 3_000, clock: one.clock }).lock('order:1');
    const order: string[] = [];
    const lease = await one.lock.acquire();
    void two.acquire().then(noteAndRelease(order, 'other process'));
    await one.clock.advance(1);
    void one.lock.acquire().then(noteAndRelease(order, 'same process'));
    await one.clock.advance(1);
    await lease.release();
    await one.clock.advance(5);
    expect(order).toEqual(['other process', 'same process']);
  });

  it('go on when the holder here is lost', async () => {
    const { lock, clock, backend } = setUp();
    const lease = await lock.acquire();
    const waiting = outcome(lock.acquire());
    backend.renew = () => Promise.resolve(['unknown']);
    await clock.advance(3_100);
    expect(lease.state).toBe('lost');
    expect(waiting).toMatchObject({ settled: true });
    expect(waiting.code).toBeUndefined();
  });
});

describe('an acquire without an answer', () => {
  it('of a try is unknown, and is taken back in the background', async () => {
    const { lock, clock, backend } = setUp();
    const tryAcquire = backend.tryAcquire.bind(backend);
    backend.tryAcquire = async (request) => {
      await tryAcquire(request);
      return new Promise(() => undefined);
    };
    const tried = lock.tryAcquire().catch((error: unknown) => error);
    await clock.advance(501);
    expect(await tried).toBeInstanceOf(OutcomeUnknownError);
    expect(await backend.inspect('order:1')).toMatchObject({ holder: null });
  });

  it('is asked again with the same owner id, and gives the same grant', async () => {
    const { lock, clock, backend } = setUp();
    const queue = backend.queue.bind(backend);
    let calls = 0;
    backend.queue = async (step, request) => {
      const answer = await queue(step, request);
      if (++calls === 1) throw new Error('reply lost');
      return answer;
    };
    const acquired = lock.acquire();
    await clock.advance(200);
    expect((await acquired).fencingToken).toBe(1n);
  });

  it('is refused when it arrives after its waiter has left', async () => {
    const { lock, clock, backend } = setUp();
    const queue = backend.queue.bind(backend);
    let deliver: () => void = () => undefined;
    backend.queue = (step, request) =>
      new Promise((resolve) => {
        deliver = () => void queue(step, request).then(resolve);
      });
    const waiting = outcome(lock.acquire({ waitMs: 400 }));
    await clock.advance(401);
    expect(waiting.code).toBe('UNAVAILABLE');
    await clock.advance(200); // the call's own deadline: now it counts as unknown, and is withdrawn
    deliver();
    await clock.advance(1);
    expect(await backend.inspect('order:1')).toMatchObject({ holder: null, waiters: [] });
  });

  it('ends as unavailable, with the cause, if the backend was away all the time', async () => {
    const { lock, clock, backend } = setUp();
    backend.queue = () => Promise.reject(new BackendUnavailableError('connect ECONNREFUSED'));
    const error = lock.acquire({ waitMs: 1_000 }).catch((reason: unknown) => reason);
    await clock.advance(1_001);
    expect(await error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(/ECONNREFUSED/) });
  });

  it('ends as unavailable, and not as busy, if nothing has come by the end of a wait that is shorter than a call', async () => {
    const { lock, clock, backend } = setUp({ ttlMs: 30_000 }); // a call may take 5 s
    backend.queue = () => new Promise(() => undefined);
    const [first, second] = [lock.acquire({ waitMs: 1_000 }), lock.acquire({ waitMs: 1_000 })].map(outcome);
    await clock.advance(1_001);
    expect([first?.code, second?.code]).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
  });

  it('fails at once where asking again cannot help', async () => {
    const { lock, backend } = setUp();
    backend.queue = () => Promise.reject(new LockError('CONFIG', 'that key holds a list'));
    await expect(lock.acquire()).rejects.toMatchObject({ code: 'CONFIG' });
  });
});

describe('run', () => {
  it('gives the result of its body, and releases', async () => {
    const { lock, backend } = setUp();
    expect(await lock.run(() => 42)).toBe(42);
    expect(await backend.inspect('order:1')).toMatchObject({ holder: null });
  });

  it('shows the error of its body, whatever becomes of the lock', async () => {
    const { lock, clock } = setUp({ renew: false });
    const business = new Error('card declined');
    const failed = lock.run(async () => {
      clock.jump(4_000);
      throw business;
    });
    await expect(failed).rejects.toBe(business);
    expect(business).toMatchObject({ lockError: { code: 'LOST' } });
  });

  it('rejects when the lease was lost under a body that ended well', async () => {
    const { lock, clock } = setUp({ renew: false });
    await expect(lock.run(async () => clock.jump(4_000))).rejects.toMatchObject({ code: 'LOST', reason: 'expired' });
  });

  it('gives the result even if the release is not confirmed', async () => {
    const { lock, clock, backend } = setUp();
    backend.release = () => Promise.reject(new BackendUnavailableError('away'));
    const ran = outcome(lock.run(() => 'charged'));
    await clock.advance(5_000);
    expect(ran.value).toBe('charged');
  });
});

describe('close', () => {
  it('ends waits, aborts what is held, and leaves no timer', async () => {
    const { lock, locks, clock, backend, store } = setUp();
    const lease = await lock.acquire();
    const waiting = outcome(lock.acquire());
    await clock.advance(5);
    await locks.close();
    expect(waiting.code).toBe('CLOSED');
    expect(lease.signal.reason).toMatchObject({ reason: 'closed' });
    expect(store.rows.get('order:1')?.holder).toBeUndefined();
    expect(clock.timers).toBe(0);
    await expect(lock.acquire()).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(locks.lock('other').tryAcquire()).rejects.toMatchObject({ code: 'CLOSED' });
    expect(backend).toBeDefined();
  });

  it('gives no lock to who asks for it in the moment in which its lease is lost', async () => {
    const { lock, locks, store } = setUp();
    const lease = await lock.acquire();
    const again: Promise<Lease>[] = [];
    lease.signal.addEventListener('abort', () => again.push(lock.acquire()));
    await locks.close();
    await expect(again[0]).rejects.toMatchObject({ code: 'CLOSED' });
    expect(store.rows.get('order:1')?.holder).toBeUndefined();
  });

  it('with drainMs renews what is held until its body has ended, and gives no lock meanwhile', async () => {
    const { lock, locks, clock, store } = setUp();
    const rival = createLocks(new TestBackend(store, clock), { ttlMs: 3_000, clock }).lock('order:1');
    let endBody: () => void = () => undefined;
    const body = new Promise<void>((resolve) => {
      endBody = resolve;
    });
    const run = outcome(lock.run((lease) => lock.run(() => body.then(() => lease.assertHeld()))));
    await clock.advance(5);
    const waiting = outcome(lock.acquire());
    await clock.advance(5);
    const closed = outcome(locks.close({ drainMs: 60_000 }));
    const taken = outcome(rival.acquire({ waitMs: 60_000 }));
    await clock.advance(20_000);
    expect([waiting.code, closed.settled, run.settled, taken.settled]).toEqual(['CLOSED', false, false, false]);
    await expect(lock.acquire()).rejects.toMatchObject({ code: 'CLOSED' });
    endBody();
    await clock.advance(1_000);
    expect([run.code, closed.settled, taken.settled]).toEqual([undefined, true, true]);
  });

  it('with drainMs ends what is still held when that time is over, or at a second call without it', async () => {
    for (const isHurried of [false, true]) {
      const { lock, locks, clock } = setUp();
      const lease = await lock.acquire();
      const closed = outcome(locks.close({ drainMs: 10_000 }));
      await clock.advance(9_000);
      expect(lease.state).toBe('held');
      if (isHurried) await locks.close();
      else await clock.advance(1_500);
      expect(lease.signal.reason).toMatchObject({ reason: 'closed' });
      await clock.advance(1);
      expect(closed.settled).toBe(true);
      expect(clock.timers).toBe(0);
    }
    await expect(setUp().locks.close({ drainMs: -1 })).rejects.toThrow(RangeError);
  });
});

describe('close, while the backend is slow,', () => {
  it('takes back what a wait and a try have at the backend before it closes that', async () => {
    const store = new MemoryStore();
    const { clock } = setUp({}, store);
    const backend = new TestBackend(store, clock);
    let open = true;
    const slowly = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
      await new Promise<void>((resolve) => void clock.callAt(Instant.plus(clock.now(), 100), resolve));
      if (!open) throw new Error('a call after close');
      return call();
    };
    const [queue, tryAcquire, withdraw, close] = [
      backend.queue.bind(backend),
      backend.tryAcquire.bind(backend),
      backend.withdraw.bind(backend),
      backend.close.bind(backend),
    ];
    let withdrawn = 0;
    backend.queue = (step, request) => slowly(() => queue(step, request));
    backend.tryAcquire = (request) => slowly(() => tryAcquire(request));
    backend.withdraw = (hold, options) => {
      withdrawn++;
      return slowly(() => withdraw(hold, options));
    };
    backend.close = () => {
      open = false;
      return close();
    };
    const locks = createLocks(backend, { ttlMs: 3_000, clock });
    const waiting = outcome(locks.lock('a').acquire());
    const tried = outcome(locks.lock('b').tryAcquire());
    await clock.advance(50);
    const closed = outcome(locks.close());
    await clock.advance(1_000);
    expect(closed).toMatchObject({ settled: true });
    expect(closed.code).toBeUndefined();
    expect([waiting.code, tried.code]).toEqual(['CLOSED', 'CLOSED']);
    expect(withdrawn).toBe(2);
    expect([store.rows.get('a')?.holder, store.rows.get('b')?.holder]).toEqual([undefined, undefined]);
    expect(clock.timers).toBe(0);
  });
});

describe('events', () => {
  it('tell of attempts, grants, renewals, losses and releases', async () => {
    const names = ['attempt', 'grant', 'wait-ended', 'renewal', 'loss', 'release'].map((name) => `holdfast:${name}`);
    const seen: string[] = [];
    const listeners = names.map((name) => {
      const listener = (): number => seen.push(name);
      subscribe(name, listener);
      return () => unsubscribe(name, listener);
    });
    const { lock, clock, backend } = setUp();
    const lease = await lock.acquire();
    const waiting = outcome(lock.acquire({ waitMs: 10 }));
    await clock.advance(1_100);
    expect(waiting.code).toBe('BUSY');
    await lease.release();
    await lock.acquire();
    backend.loseLease('order:1');
    for (const stop of listeners) stop();
    expect(new Set(seen)).toEqual(new Set(names));
  });
});

describe('options', () => {
  it.each([
    [{ ttlMs: 0 }, /ttlMs must be from 50/],
    [{ ttlMs: Number.NaN }, /ttlMs/],
    [{ ttlMs: -1 }, /ttlMs/],
    [{ ttlMs: 2 ** 31 }, /ttlMs/],
    [{ ttlMs: '30s' }, /ttlMs must be a number/],
    [{ waitMs: -1 }, /waitMs/],
    [{ waitMs: Number.POSITIVE_INFINITY }, /waitMs/],
    [{ maxHoldMs: 0 }, /maxHoldMs/],
    [{ renew: 'yes' }, /renew/],
    [{ purpose: 7 }, /purpose/],
    [{ ttl: 30 }, /no option "ttl"/],
  ])('%o is refused by name', (options, message) => {
    expect(() => setUp(options as LocksOptions)).toThrow(message);
  });

  it.each([[''], ['a\0b'], ['\ud800'], ['x'.repeat(513)], [7]])('the name %j is refused', (name) => {
    expect(() => setUp().locks.lock(name as string)).toThrow(/name of a lock/);
  });

  it('names that differ in case, space or composition are different locks', async () => {
    const { locks } = setUp();
    for (const name of ['Foo', 'foo', 'a', 'a ', '\u00e9', 'e\u0301', '../../x', '{}', ':', '\n', '🔒']) {
      expect(await locks.lock(name).tryAcquire()).not.toBeNull();
    }
  });
});
