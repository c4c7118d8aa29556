import assert from 'node:assert/strict';
import { type ContractCase, TTL_MS } from '../subject.ts';
import { needs, requestFor, soon } from './abilities.ts';

/** One holder at a time, as two processes see it. */
export const accessCases: readonly ContractCase[] = [
  {
    name: 'a lock is held by one, and a try by another gives null',
    async run(t) {
      const name = t.name();
      const [one, two] = [await t.locks(), await t.locks()];
      const lease = await one.lock(name).acquire();
      assert.equal(lease.state, 'held');
      assert.ok(lease.remainingMs > 0 && lease.remainingMs <= TTL_MS);
      assert.equal(await two.lock(name).tryAcquire(), null);
      await lease.release();
      assert.notEqual(await two.lock(name).tryAcquire(), null);
    },
  },
  {
    name: 'a release by another owner changes nothing',
    async run(t) {
      const name = t.name();
      const backend = await t.backend();
      const request = requestFor(name);
      assert.equal((await backend.tryAcquire(request, soon())).outcome, 'granted');
      assert.equal(await backend.release(requestFor(name), soon()), 'not-held');
      assert.equal((await backend.tryAcquire(requestFor(name), soon())).outcome, 'busy');
      assert.equal(await backend.release(request, soon()), 'released');
      assert.equal(await backend.release(request, soon()), 'not-held');
    },
  },
  {
    name: 'a renewal by another owner changes nothing, and one of a hold that is over does not bring it back',
    async run(t) {
      const name = t.name();
      const backend = needs.renewal(await t.backend());
      const request = requestFor(name);
      assert.deepEqual(await backend.renew([request], soon()), ['lost']);
      assert.equal((await backend.tryAcquire(request, soon())).outcome, 'granted');
      const [other, own] = await backend.renew([requestFor(name), request], soon());
      assert.equal(other, 'lost');
      assert.equal(typeof own === 'object' ? own.outcome : own, 'renewed');
      await backend.release(request, soon());
      assert.deepEqual(await backend.renew([request], soon()), ['lost']);
      assert.equal((await backend.tryAcquire(requestFor(name), soon())).outcome, 'granted');
    },
  },
  {
    name: 'the holder, its purpose and the waiters can be seen, and are gone afterwards',
    async run(t) {
      const name = t.name();
      const backend = needs.inspection(await t.backend());
      const holder = requestFor(name, { purpose: 'nightly export' });
      const waiter = requestFor(name, { purpose: 'the other one' });
      await backend.tryAcquire(holder, soon());
      await needs.queue(backend).queue('enter', waiter, soon());
      const report = await backend.inspect(name, soon());
      assert.equal(report.holder?.owner, holder.owner);
      assert.equal(report.holder?.pid, process.pid);
      assert.equal(report.holder?.purpose, 'nightly export');
      assert.equal(report.holder?.foreign, false);
      assert.deepEqual(
        report.waiters.map(({ owner }) => owner),
        [waiter.owner],
      );
      assert.ok((await backend.list(soon())).some((each) => each.name === name));
      await needs.withdrawal(backend).withdraw(waiter, { mayArriveLate: false }, soon());
      await backend.release(holder, soon());
      assert.deepEqual(await backend.inspect(name, soon()), { name, holder: null, waiters: [] });
      assert.ok(!(await backend.list(soon())).some((each) => each.name === name));
    },
  },
  {
    name: 'a broken holder is told, the next waiter gets the lock, and its token is not below the one to raise the guard to',
    async run(t) {
      const name = t.name();
      const operator = needs.breaking(await t.backend());
      const lease = await (await t.locks()).lock(name).acquire();
      const next = (await t.locks()).lock(name).acquire();
      const { broken, raiseTo } = await operator.breakLock(name, soon());
      assert.equal(broken?.owner, lease.owner);
      const { fencingToken } = (await next) as unknown as { fencingToken: bigint };
      assert.ok(raiseTo !== undefined && raiseTo > (lease as unknown as { fencingToken: bigint }).fencingToken);
      assert.ok(fencingToken >= raiseTo);
      if (!lease.signal.aborted) await new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
      assert.equal(lease.state, 'lost');
    },
  },
  {
    name: 'breaking a lock that nobody holds finds nobody',
    async run(t) {
      const operator = needs.breaking(await t.backend());
      assert.equal((await operator.breakLock(t.name(), soon())).broken, null);
    },
  },
];
