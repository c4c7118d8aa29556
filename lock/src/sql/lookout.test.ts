import { expect, it } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import type { SqlRow } from './database.ts';
import { Lookout } from './lookout.ts';
import { request } from './test-support/requests.ts';

/** A line whose places a test sets, and a count of the looks into it. Jitter is at its most. */
function open(): {
  clock: ManualClock;
  lookout: Lookout;
  rows: SqlRow[];
  looks: { count: number; isPushed: boolean };
} {
  const clock = new ManualClock();
  const rows: SqlRow[] = [];
  const looks = { count: 0, isPushed: false };
  const lookout = new Lookout({
    clock,
    random: () => 1,
    isPushed: () => looks.isPushed,
    look: async () => {
      looks.count++;
      return [...rows];
    },
  });
  return { clock, lookout, rows, looks };
}

it('the first in a line looks every 5 ms, and the tenth every 50 ms', async () => {
  for (const [ahead, count] of [
    [0, 20],
    [9, 2],
  ]) {
    const { clock, lookout, rows, looks } = open();
    const asked = request('line');
    lookout.listen(asked, () => undefined);
    rows.push({ owner: asked.owner, token: null, claim: null, ahead });
    await clock.advance(5);
    looks.count = 0;
    await clock.advance(100);
    expect(looks.count).toBe(count);
    lookout.close();
  }
});

it('a line that stands still is looked at more and more seldom, and often again when it moves', async () => {
  const { clock, lookout, rows, looks } = open();
  const asked = request('line');
  lookout.listen(asked, () => undefined);
  rows.push({ owner: asked.owner, token: null, claim: null, ahead: '1' });
  await clock.advance(10_000);
  looks.count = 0;
  await clock.advance(10_000);
  expect(looks.count).toBe(50);
  rows[0] = { owner: asked.owner, token: null, claim: null, ahead: '0' };
  await clock.advance(200);
  looks.count = 0;
  await clock.advance(100);
  expect(looks.count).toBeGreaterThan(10);
  lookout.close();
});

it('a grant that is found wakes its waiter, and nobody else', async () => {
  const { clock, lookout, rows } = open();
  const [asked, other] = [request('line'), request('line')];
  const woken: unknown[] = [];
  lookout.listen(asked, (granted) => woken.push(granted));
  lookout.listen(other, () => woken.push('other'));
  rows.push({ owner: asked.owner, token: '9007199254740993', claim: 3_000, ahead: null });
  await clock.advance(5);
  expect(woken).toEqual([{ outcome: 'granted', fencingToken: 9007199254740993n, ttlMs: 3_000 }]);
  lookout.close();
});

it('who comes while the next look is far off has one of its own time', async () => {
  const { clock, lookout, looks } = open();
  looks.isPushed = true;
  lookout.listen(request('one'), () => undefined);
  looks.isPushed = false;
  lookout.listen(request('two'), () => undefined);
  await clock.advance(5);
  expect(looks.count).toBe(1);
  lookout.close();
});

it('a stream of newcomers does not put off the look that the others wait for', async () => {
  const { clock, lookout, looks } = open();
  looks.isPushed = true;
  for (let index = 0; index < 20; index++) {
    lookout.listen(request('line'), () => undefined);
    await clock.advance(100);
  }
  expect(looks.count).toBe(2);
  lookout.close();
});

it('a thousand who wait look less often', async () => {
  const { clock, lookout, looks } = open();
  for (let index = 0; index < 1_000; index++) lookout.listen(request(`line:${index}`), () => undefined);
  await clock.advance(5);
  looks.count = 0;
  await clock.advance(1_050);
  expect(looks.count).toBe(8);
  lookout.close();
  expect(clock.timers).toBe(0);
});

it('news that may have been missed while a look is under way is looked for once that has ended', async () => {
  const { clock, lookout, looks } = open();
  looks.isPushed = true;
  lookout.listen(request('line'), () => undefined);
  lookout.lookNow();
  lookout.lookNow();
  await clock.advance(0);
  expect(looks.count).toBe(2);
  lookout.close();
});
