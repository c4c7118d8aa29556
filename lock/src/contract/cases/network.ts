import assert from 'node:assert/strict';
import { type CaseContext, type ContractCase, monotonicMs, sleep, TTL_MS, until } from '../subject.ts';

function server(t: CaseContext): NonNullable<CaseContext['subject']['server']> {
  if (t.subject.server === undefined) {
    throw new Error('No `server` was given. If there is none, name this case in doesNotApply, with the reason.');
  }
  return t.subject.server;
}

export const networkCases: readonly ContractCase[] = [
  {
    name: 'a black hole: the lease is lost by its own clock before the next one is granted, and does not come back',
    async run(t) {
      const name = t.name();
      const { relay, locks } = await t.relayedLocks();
      const lease = await locks.lock(name).acquire();
      let lostAtMs = Number.POSITIVE_INFINITY;
      let losses = 0;
      lease.signal.addEventListener('abort', () => {
        lostAtMs = monotonicMs();
        losses++;
      });
      relay.blackHole();
      const rival = await (await t.locks()).lock(name).acquire({ waitMs: 10 * TTL_MS });
      const grantedAtMs = monotonicMs();
      assert.ok(lostAtMs < grantedAtMs, `lost ${Math.round(lostAtMs - grantedAtMs)} ms after the grant to another`);
      relay.heal();
      relay.cut({ refuse: false }); // the client's side gives up its dead connection
      await sleep(TTL_MS / 2);
      assert.equal(lease.state, 'lost');
      assert.equal(losses, 1);
      await rival.confirm();
      await rival.release();
    },
  },
  {
    name: 'a cut connection that comes back costs no lease',
    async run(t) {
      const { relay, locks } = await t.relayedLocks({ ttlMs: 6 * TTL_MS });
      const lease = await locks.lock(t.name()).acquire();
      relay.cut();
      await sleep(300);
      relay.heal();
      await until(
        'a renewal through the new connection',
        () =>
          lease.confirm().then(
            () => true,
            () => false,
          ),
        5_000,
      );
      assert.equal(lease.state, 'held');
      await lease.release();
    },
  },
  {
    name: 'a waiter whose connection is cut still gets the lock',
    async run(t) {
      const name = t.name();
      const { relay, locks } = await t.relayedLocks({ ttlMs: 6 * TTL_MS });
      const holder = await (await t.locks({ ttlMs: 6 * TTL_MS })).lock(name).acquire();
      const waiting = locks.lock(name).acquire({ waitMs: 20_000 });
      await sleep(200);
      relay.cut();
      await sleep(200);
      relay.heal();
      await holder.release();
      await (await waiting).release();
    },
  },
  {
    name: 'a slow link works, and its delay is taken off the lease',
    async run(t) {
      const name = t.name();
      const { relay, locks } = await t.relayedLocks({ ttlMs: 3 * TTL_MS });
      await locks.lock(name).run(() => undefined);
      relay.slow(50);
      const askedAtMs = monotonicMs();
      const lease = await locks.lock(name).acquire();
      const tookMs = monotonicMs() - askedAtMs;
      assert.ok(tookMs >= 50);
      assert.ok(lease.remainingMs < 3 * TTL_MS - tookMs, 'the lease counts from before the request left');
      await lease.release();
    },
  },
  {
    name: 'an acquire whose reply was lost ends with the lock or without it, and never with an orphan',
    async run(t) {
      const name = t.name();
      const { relay, locks } = await t.relayedLocks();
      await locks.lock(name).run(() => undefined);
      const dropped = relay.dropNextReply();
      const acquiring = locks.lock(name).acquire();
      await dropped;
      const lease = await acquiring;
      assert.equal(await (await t.locks()).lock(name).tryAcquire(), null);
      await lease.release();
      const rival = await (await t.locks()).lock(name).acquire({ waitMs: TTL_MS / 2 });
      await rival.release();
    },
  },
  {
    name: 'a try whose reply was lost leaves the lock free before its TTL',
    async run(t) {
      const name = t.name();
      const ttlMs = 20_000;
      const { relay, locks } = await t.relayedLocks({ ttlMs, callMs: 300 });
      await locks.lock(name).run(() => undefined);
      const dropped = relay.dropNextReply();
      const tried = locks
        .lock(name)
        .tryAcquire()
        .then((lease) => lease?.release())
        // Where several servers vote, too few answers are no grant, and nothing is left to be known.
        .catch(({ code }: { code?: string }) => assert.match(code ?? '', /^(OUTCOME_UNKNOWN|UNAVAILABLE)$/));
      await dropped;
      await tried;
      const rival = await (await t.locks({ ttlMs })).lock(name).acquire({ waitMs: 5_000 });
      await rival.release();
    },
  },
  {
    name: 'a release whose reply was lost counts as done',
    async run(t) {
      const name = t.name();
      const { relay, locks } = await t.relayedLocks({ ttlMs: 6 * TTL_MS, callMs: 300 });
      const lease = await locks.lock(name).acquire();
      const dropped = relay.dropNextReply();
      const released = lease.release();
      await dropped;
      await released;
      const rival = await (await t.locks()).lock(name).acquire({ waitMs: TTL_MS });
      await rival.release();
    },
  },
  {
    name: 'a server that is stopped for a moment while renewals are due costs no lease',
    async run(t) {
      const { pause, resume } = server(t);
      const ttlMs = 3 * TTL_MS; // renewed every TTL_MS
      const [locks, rivals] = [await t.locks({ ttlMs }), await t.locks()];
      const names = [t.name(), t.name()];
      const leases = await Promise.all(names.map((name) => locks.lock(name).acquire()));
      await sleep(0.6 * TTL_MS);
      pause();
      try {
        await sleep(TTL_MS);
      } finally {
        resume();
      }
      const isRenewed = (): boolean => leases.every(({ remainingMs }) => remainingMs > 0.6 * ttlMs);
      await until('renewals that were answered', isRenewed, ttlMs);
      for (const lease of leases) {
        assert.equal(lease.state, 'held');
        assert.equal(await rivals.lock(lease.name).tryAcquire(), null);
        await lease.release();
      }
    },
  },
  {
    name: 'a release while there is no connection is done once there is one again, long before the TTL',
    async run(t) {
      const name = t.name();
      const ttlMs = 20_000;
      const { relay, locks } = await t.relayedLocks({ ttlMs });
      const lease = await locks.lock(name).acquire();
      relay.cut();
      const released = lease.release().then(
        () => 'released',
        ({ code }: { code?: string }) => code ?? 'no code',
      );
      await sleep(1_000); // in which it is tried, and nothing gets through
      relay.heal();
      const rival = await (await t.locks({ ttlMs })).lock(name).acquire({ waitMs: ttlMs / 2 });
      await rival.release();
      // What hangs on its connection was over when that was cut.
      assert.match(await released, /^(released|LOST|UNAVAILABLE)$/);
    },
  },
  {
    name: 'a server that is stopped for longer than the TTL: the holder knows before anybody else can have the lock',
    async run(t) {
      const name = t.name();
      const { pause, resume } = server(t);
      const lease = await (await t.locks()).lock(name).acquire();
      const rivals = await t.locks();
      pause();
      try {
        await until('the loss of the lease', () => lease.signal.aborted, 5 * TTL_MS);
      } finally {
        resume();
      }
      const rival = await rivals.lock(name).acquire({ waitMs: 10 * TTL_MS });
      assert.equal(lease.state, 'lost');
      await rival.release();
    },
  },
  {
    name: 'a server that restarts: a waiter goes on, and no two hold at once',
    async run(t) {
      const name = t.name();
      const { restart } = server(t);
      const [one, two] = [await t.locks(), await t.locks()];
      const lease = await one.lock(name).acquire();
      const waiting = two.lock(name).acquire({ waitMs: 20_000 });
      await sleep(100);
      await restart();
      const isKept = await Promise.race([waiting.then(() => false), sleep(3 * TTL_MS).then(() => true)]);
      if (isKept) {
        // A server that writes locks down still knows the holder, whose renewals go on; its release wakes the waiter.
        assert.equal(lease.state, 'held');
        await lease.release();
      }
      const rival = await waiting;
      // Where the restart has forgotten the lock, its holder learns it at its next renewal, and never renews another's.
      await until('the end of the first lease', () => lease.state !== 'held', 3 * TTL_MS);
      assert.equal(rival.state, 'held');
      await rival.release();
      const again = await one.lock(name).acquire({ waitMs: 5_000 });
      await again.release();
    },
  },
];
