import assert from 'node:assert/strict';
import type { Granted, Waiting } from '../../core/backend.ts';
import { type ContractCase, until } from '../subject.ts';
import { needs, requestFor, soon } from './abilities.ts';

/** Requests that come twice, late, or after they were taken back. */
export const requestCases: readonly ContractCase[] = [
  {
    name: 'asking again with the same owner id gives the same grant, never "busy"',
    async run(t) {
      const backend = await t.backend();
      const request = requestFor(t.name());
      const first = await backend.tryAcquire(request, soon());
      const second = await backend.tryAcquire(request, soon());
      assertSameGrant(second, first);
    },
  },
  {
    name: 'entering the queue again keeps the place, and a heartbeat never makes one',
    async run(t) {
      const name = t.name();
      const backend = needs.queue(await t.backend());
      const [holder, first, second, stranger] = [
        requestFor(name),
        requestFor(name),
        requestFor(name),
        requestFor(name),
      ];
      await backend.tryAcquire(holder, soon());
      assert.equal((await backend.queue('stay', stranger, soon())).outcome, 'gone');
      assert.equal((await backend.queue('enter', first, soon())).outcome, 'waiting');
      assert.equal((await backend.queue('enter', second, soon())).outcome, 'waiting');
      assert.equal((await backend.queue('enter', first, soon())).outcome, 'waiting');
      await backend.release(holder, soon());
      assert.equal((await backend.queue('stay', second, soon())).outcome, 'waiting');
      const granted = await backend.queue('stay', first, soon());
      assert.equal(granted.outcome, 'granted');
      assert.deepEqual(await backend.queue('enter', first, soon()), granted);
    },
  },
  {
    name: 'the answer to a waiter names the last token, so that an old hand-over is told from a new one',
    async run(t) {
      const name = t.name();
      const backend = needs.tokens(await t.backend());
      const queue = needs.queue(backend);
      const [holder, waiter] = [requestFor(name), requestFor(name)];
      const granted = await backend.tryAcquire(holder, soon());
      assert.equal(granted.outcome, 'granted');
      for (const step of ['enter', 'stay'] as const) {
        const answer = await queue.queue(step, waiter, soon());
        assert.equal(answer.outcome, 'waiting');
        assert.equal((answer as Waiting).lastToken, (granted as Granted).fencingToken);
      }
    },
  },
  {
    name: 'a withdrawn waiter is out of the queue, and a withdrawn holder passes the lock on',
    async run(t) {
      const name = t.name();
      const backend = needs.withdrawal(needs.queue(await t.backend()));
      const queue = needs.queue(backend);
      const [holder, first, second] = [requestFor(name), requestFor(name), requestFor(name)];
      await backend.tryAcquire(holder, soon());
      await queue.queue('enter', first, soon());
      await queue.queue('enter', second, soon());
      await backend.withdraw(first, { mayArriveLate: false }, soon());
      await backend.withdraw(holder, { mayArriveLate: false }, soon());
      assert.equal((await queue.queue('stay', second, soon())).outcome, 'granted');
    },
  },
  {
    name: 'a request that arrives after it was withdrawn gets nothing, and leaves nothing',
    async run(t) {
      const name = t.name();
      const backend = needs.withdrawal(await t.backend());
      const queue = needs.queue(backend);
      const late = requestFor(name);
      await backend.withdraw(late, { mayArriveLate: true }, soon());
      assert.equal((await queue.queue('enter', late, soon())).outcome, 'gone');
      assert.equal((await queue.queue('stay', late, soon())).outcome, 'gone');
      assert.equal((await backend.tryAcquire(late, soon())).outcome, 'busy');
      const other = requestFor(name);
      assert.equal((await backend.tryAcquire(other, soon())).outcome, 'granted');
      await backend.release(other, soon());
    },
  },
  {
    name: 'a transfer gives the lock to the next of the same process, with a token of its own, while nobody waits',
    async run(t) {
      const name = t.name();
      const backend = needs.transfer(await t.backend());
      const [one, two] = [requestFor(name), requestFor(name)];
      const first = await backend.tryAcquire(one, soon());
      const second = await backend.transfer(one, two, soon());
      assert.equal(second.outcome, 'granted');
      assertSameGrant(await backend.transfer(one, two, soon()), second); // asked again after a lost reply
      if ('fencingToken' in first && 'fencingToken' in second) {
        assert.ok((second.fencingToken as bigint) > (first.fencingToken as bigint));
      }
      assert.equal(await backend.release(one, soon()), 'not-held');
      assert.equal(await backend.release(two, soon()), 'released');
      assert.equal((await backend.transfer(two, requestFor(name), soon())).outcome, 'not-held');
    },
  },
  {
    name: 'a transfer lets those go first who wait in the queue',
    async run(t) {
      const name = t.name();
      const backend = needs.transfer(await t.backend());
      const queue = needs.queue(backend);
      const [one, next, rival] = [requestFor(name), requestFor(name), requestFor(name)];
      await backend.tryAcquire(one, soon());
      await queue.queue('enter', rival, soon());
      assert.equal((await backend.transfer(one, next, soon())).outcome, 'waiting');
      assert.equal((await queue.queue('stay', rival, soon())).outcome, 'granted');
      await backend.release(rival, soon());
      assert.equal((await queue.queue('stay', next, soon())).outcome, 'granted');
    },
  },
  {
    name: 'answers that come while the event loop is blocked are taken, however late they are read',
    async run(t) {
      const locks = await t.locks({ ttlMs: 20_000, callMs: 400 });
      const lease = await locks.lock(t.name()).acquire();
      const confirmed = lease.confirm();
      await blockedAfterSending();
      await confirmed;
      const released = lease.release();
      await blockedAfterSending();
      await released;
    },
  },
  {
    name: 'a free lock goes to the first who waits, whoever looks first',
    async run(t) {
      const name = t.name();
      const backend = needs.queue(await t.backend());
      const patient = { ttlMs: 30_000, heartbeatMs: 10_000 }; // alive through the wait below
      const [holder, first, second] = [
        requestFor(name, { ttlMs: 500 }),
        requestFor(name, patient),
        requestFor(name, patient),
      ];
      const granted = await backend.tryAcquire(holder, soon());
      await backend.queue('enter', first, soon());
      await backend.queue('enter', second, soon());
      const { ttlMs } = granted as Granted; // some backends give more than was asked for
      await new Promise((resolve) => setTimeout(resolve, ttlMs + 20));
      await until('the grant to the first', async () => {
        // A server may look only now and then whether a hold is over.
        assert.equal((await backend.tryAcquire(requestFor(name), soon())).outcome, 'busy');
        assert.equal((await backend.queue('stay', second, soon())).outcome, 'waiting');
        return (await backend.queue('stay', first, soon())).outcome === 'granted';
      });
    },
  },
];

/** Blocks the event loop for longer than a call may take, when what was asked for has left. */
async function blockedAfterSending(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
  const until = performance.now() + 600;
  while (performance.now() < until);
}

/** The same lock, token and time. From when it counts may be later, where a renewal of the lease has come between. */
function assertSameGrant(again: { readonly outcome: string }, first: { readonly outcome: string }): void {
  assert.equal(again.outcome, 'granted');
  assert.deepEqual({ ...again, countedFrom: undefined }, { ...first, countedFrom: undefined });
}
