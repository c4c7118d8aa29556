import { describe, expect, it } from 'vitest';
import type { AcquireRequest, Granted } from '../../core/backend.ts';
import { Instant } from '../../core/clock.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import type { SqliteBackend } from './index.ts';
import { newBackend, newFolder, requestFor } from './test-support/folders.ts';

/** Two backend objects as two processes would have them, and a clock that all rows are written by. */
function pair(): { clock: ManualClock; one: SqliteBackend; two: SqliteBackend; soon: () => Instant } {
  const clock = new ManualClock();
  const directory = newFolder();
  const [one, two] = [newBackend({ directory, clock }), newBackend({ directory, clock })];
  return { clock, one, two, soon: () => Instant.plus(clock.now(), 60_000) };
}

describe('time', () => {
  it('ends a hold at its TTL and not before, and a renewal counts from itself', async () => {
    const { clock, one, two, soon } = pair();
    const [holder, rival] = [requestFor('x', { ttlMs: 1_000 }), requestFor('x')];
    await one.tryAcquire(holder, soon());
    clock.jump(999);
    expect(await two.tryAcquire(rival, soon())).toEqual({ outcome: 'busy', retryInMs: 1 });
    expect(await one.renew([holder], soon())).toEqual(['renewed']);
    clock.jump(999);
    expect((await two.tryAcquire(rival, soon())).outcome).toBe('busy');
    clock.jump(1);
    expect(await one.renew([holder], soon())).toEqual(['lost']);
    expect((await two.tryAcquire(rival, soon())).outcome).toBe('granted');
    expect(await one.release(holder, soon())).toBe('not-held');
  });

  it('tells the first in the queue when the hold of the other ends, and nobody else', async () => {
    const { clock, one, two, soon } = pair();
    const [holder, first, second] = [requestFor('x', { ttlMs: 900 }), requestFor('x'), requestFor('x')];
    await one.tryAcquire(holder, soon());
    clock.jump(400);
    expect(await two.queue('enter', first, soon())).toMatchObject({ outcome: 'waiting', retryInMs: 500 });
    expect(await two.queue('enter', second, soon())).not.toHaveProperty('retryInMs');
    clock.jump(500);
    expect(await two.queue('stay', second, soon())).toMatchObject({ outcome: 'waiting' });
    expect((await two.queue('stay', first, soon())).outcome).toBe('granted');
  });

  it('drops a waiter that has been silent for three heartbeats', async () => {
    const { clock, one, two, soon } = pair();
    const [holder, silent, lively] = [
      requestFor('x', { ttlMs: 60_000 }),
      requestFor('x', { heartbeatMs: 100 }),
      requestFor('x', { heartbeatMs: 100 }),
    ];
    await one.tryAcquire(holder, soon());
    await one.queue('enter', silent, soon());
    await two.queue('enter', lively, soon());
    clock.jump(299);
    await two.queue('stay', lively, soon());
    expect((await one.inspect('x', soon())).waiters).toHaveLength(2);
    clock.jump(1);
    expect((await one.inspect('x', soon())).waiters.map(({ owner }) => owner)).toEqual([lively.owner]);
    await one.release(holder, soon());
    expect((await one.queue('stay', silent, soon())).outcome).toBe('gone');
    expect((await two.queue('stay', lively, soon())).outcome).toBe('granted');
  });
});

describe('a hand-over', () => {
  it('is good for two heartbeats, until its owner is heard of', async () => {
    const { clock, one, two, soon } = pair();
    const [holder, heard, unheard] = ['a', 'b', 'c'].map(() =>
      requestFor('x', { ttlMs: 3_000, heartbeatMs: 1_000 }),
    ) as [AcquireRequest, AcquireRequest, AcquireRequest];
    await one.tryAcquire(holder, soon());
    await two.queue('enter', heard, soon());
    const told: (Granted | undefined)[] = [];
    two.listen(heard, (granted) => told.push(granted));
    await one.transfer(holder, unheard, soon());
    expect((await one.inspect('x', soon())).holder).toMatchObject({ owner: heard.owner, remainingMs: 2_000 });
    await expect.poll(() => told).toHaveLength(1);
    expect(told[0]).toMatchObject({ outcome: 'granted', ttlMs: 2_000 });
    clock.jump(1_999);
    expect(await two.renew([heard], soon())).toEqual(['renewed']);
    expect((await one.inspect('x', soon())).holder?.remainingMs).toBe(3_000);
    await one.queue('stay', unheard, soon());
    await two.release(heard, soon());
    clock.jump(2_000);
    expect(await one.renew([unheard], soon())).toEqual(['lost']);
  });

  it('is for the TTL itself if that is shorter than two heartbeats', async () => {
    const { one, two, soon } = pair();
    const [holder, next] = [requestFor('x'), requestFor('x', { ttlMs: 500, heartbeatMs: 400 })];
    await one.tryAcquire(holder, soon());
    await two.queue('enter', next, soon());
    await one.release(holder, soon());
    expect((await one.inspect('x', soon())).holder).toMatchObject({ owner: next.owner, remainingMs: 500 });
  });

  it('that is found by a step is a grant for the whole TTL', async () => {
    const { one, two, soon } = pair();
    const [holder, next] = [requestFor('x'), requestFor('x', { ttlMs: 3_000, heartbeatMs: 1_000 })];
    await one.tryAcquire(holder, soon());
    await two.queue('enter', next, soon());
    await one.release(holder, soon());
    expect(await two.queue('stay', next, soon())).toMatchObject({ outcome: 'granted', ttlMs: 3_000 });
  });
});

describe('what is taken back', () => {
  it('is refused for ten minutes if it may arrive late', async () => {
    const { clock, one, soon } = pair();
    const late = requestFor('x');
    await one.withdraw(late, { mayArriveLate: true }, soon());
    clock.jump(599_999);
    expect((await one.queue('enter', late, soon())).outcome).toBe('gone');
    clock.jump(1);
    expect((await one.queue('enter', late, soon())).outcome).toBe('granted');
  });

  it('is transferred to nobody: a withdrawn next owner leaves the lock to those who wait', async () => {
    const { one, two, soon } = pair();
    const [holder, next, rival] = [requestFor('x'), requestFor('x'), requestFor('x')];
    await one.tryAcquire(holder, soon());
    await one.withdraw(next, { mayArriveLate: true }, soon());
    await two.queue('enter', rival, soon());
    expect((await one.transfer(holder, next, soon())).outcome).toBe('gone');
    expect((await two.queue('stay', rival, soon())).outcome).toBe('granted');
  });
});

describe('a broken lock', () => {
  it('tells the holder why, in whichever backend object it is, before its renewal is answered', async () => {
    const { one, two, soon } = pair();
    const told: [string, string][] = [];
    one.onLoss((owner, reason) => told.push([owner, reason]));
    for (const operator of [one, two]) {
      const holder = requestFor('x');
      await one.tryAcquire(holder, soon());
      const { broken } = await operator.breakLock('x', soon());
      expect(broken?.owner).toBe(holder.owner);
      expect(await one.renew([holder], soon())).toEqual(['lost']);
      expect(told.pop()).toEqual([holder.owner, 'broken']);
    }
    expect(told).toEqual([]);
  });

  it('raises every later token, also where nobody held it', async () => {
    const { one, soon } = pair();
    const holder = requestFor('x');
    const granted = (await one.tryAcquire(holder, soon())) as Granted;
    const { raiseTo } = await one.breakLock('x', soon());
    expect(raiseTo).toBeGreaterThan(granted.fencingToken ?? 0n);
    const nobody = await one.breakLock('x', soon());
    expect(nobody.broken).toBeNull();
    expect(nobody.raiseTo).toBeGreaterThan(raiseTo);
    const next = (await one.tryAcquire(requestFor('x'), soon())) as Granted;
    expect(next.fencingToken).toBeGreaterThan(nobody.raiseTo);
  });
});

it('ten thousand renewals are answered in order, in pieces', async () => {
  const { one, soon } = pair();
  const held = Array.from({ length: 300 }, (_, index) => requestFor(`held-${index}`));
  for (const request of held) await one.tryAcquire(request, soon());
  const holds = Array.from({ length: 10_000 }, (_, index) => held[index % 600] ?? requestFor(`free-${index}`));
  const answers = await one.renew(holds, soon());
  expect(answers).toHaveLength(10_000);
  answers.forEach((answer, index) => {
    expect(answer).toBe(index % 600 < 300 ? 'renewed' : 'lost');
  });
});

it('close gives to the next what was held, and refuses what comes after', async () => {
  const { one, two, soon } = pair();
  const [holder, next] = [requestFor('x'), requestFor('x')];
  await one.tryAcquire(holder, soon());
  await two.queue('enter', next, soon());
  await one.close();
  expect((await two.queue('stay', next, soon())).outcome).toBe('granted');
  await expect(one.tryAcquire(requestFor('x'), soon())).rejects.toMatchObject({ code: 'CLOSED' });
  await one.close();
});

it('wrong options are refused when the object is made', async () => {
  const { sqliteBackend } = await import('./index.ts');
  const open = (() => undefined) as never;
  expect(() => sqliteBackend(undefined as never)).toThrow(TypeError);
  expect(() => sqliteBackend(open, { folder: '/x' } as never)).toThrow(/no option "folder"/);
  expect(() => sqliteBackend(open, { directory: '' })).toThrow(TypeError);
  expect(() => sqliteBackend(open, { bootId: '../x' })).toThrow(RangeError);
});
