import assert from 'node:assert/strict';
import { type ContractCase, monotonicMs, sleep, TTL_MS } from '../subject.ts';

/** What a loaded machine may add to a bound. */
const SLACK_MS = 1_000;

export const processCases: readonly ContractCase[] = [
  {
    name: 'a holder that is killed frees the lock for a waiter, by its TTL at the latest',
    async run(t) {
      const name = t.name();
      const holder = await t.process();
      await holder.acquire(name);
      const locks = await t.locks();
      const waiting = locks.lock(name).acquire();
      await sleep(100);
      const killedAtMs = monotonicMs();
      await holder.kill();
      const lease = await waiting;
      const tookMs = monotonicMs() - killedAtMs;
      const { liveness } = (await t.backend()).guarantee;
      const boundMs =
        liveness === 'at-once' ? SLACK_MS : liveness === 'after-ttl' ? TTL_MS + SLACK_MS : 2 * TTL_MS + SLACK_MS;
      assert.ok(tookMs < boundMs, `free after ${Math.round(tookMs)} ms; the bound is ${boundMs} ms`);
      await lease.release();
    },
  },
  {
    name: 'a waiter that is killed does not hold up those behind it',
    async run(t) {
      const name = t.name();
      const lease = await (await t.locks()).lock(name).acquire();
      const dead = await t.process();
      void dead.acquire(name).catch(() => undefined);
      await sleep(200);
      const behind = (await t.locks()).lock(name).acquire();
      await sleep(50);
      await dead.kill();
      const releasedAtMs = monotonicMs();
      await lease.release();
      await (await behind).release();
      const tookMs = monotonicMs() - releasedAtMs;
      assert.ok(tookMs < TTL_MS + SLACK_MS, `the lock stuck for ${Math.round(tookMs)} ms`);
    },
  },
  {
    name: 'a holder that is stopped keeps the lock until its TTL, and finds it lost at its first look afterwards',
    async run(t) {
      const name = t.name();
      const holder = await t.process();
      const held = await holder.acquire(name);
      const locks = await t.locks();
      holder.signal('SIGSTOP');
      const stoppedAtMs = monotonicMs();
      const lease = await locks.lock(name).acquire({ waitMs: 10 * TTL_MS });
      const tookMs = monotonicMs() - stoppedAtMs;
      // Its last renewal may be a third of the TTL old.
      assert.ok(tookMs > TTL_MS / 2, `granted only ${Math.round(tookMs)} ms after the holder was stopped`);
      assert.ok(tookMs < TTL_MS + SLACK_MS, `granted ${Math.round(tookMs)} ms after the holder was stopped`);
      holder.signal('SIGCONT');
      const look = await holder.look(held);
      assert.equal(look.state, 'lost');
      assert.equal(look.remainingMs, 0);
      assert.equal(lease.state, 'held');
      await assert.rejects(holder.release(held), { code: 'LOST' });
      await lease.confirm();
      await lease.release();
    },
  },
];
