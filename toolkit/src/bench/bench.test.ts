import { expect, it } from 'vitest';
import { alternate, WARM_UP_ROUNDS } from './bench.ts';

it('every round begins with another subject, and the warm-up is not counted', async () => {
  const order: string[] = [];
  const measured = await alternate(['a', 'b'], 3, async (subject, round) => {
    order.push(subject);
    return `${subject}${round}`;
  });
  expect(order.slice(WARM_UP_ROUNDS * 2)).toEqual(['a', 'b', 'b', 'a', 'a', 'b']);
  expect(measured).toEqual({ a: ['a0', 'a1', 'a2'], b: ['b0', 'b1', 'b2'] });
});
