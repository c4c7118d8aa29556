import { describe, expect, it } from 'vitest';
import { seeded } from '../../core/simulation.testing.ts';
import { inOrder } from './order.ts';

const uuid = (first: string): string => `${first.repeat(8)}-0000-8000-a000-000000000000`;
const node = (prefix: string, number: string): string => `_c_${uuid(prefix)}-lock-${number}`;

describe('the order of contenders', () => {
  it('is by number, and what stands before it has no influence', () => {
    const [one, two, three] = [node('f', '0000000001'), node('8', '0000000002'), node('0', '0000000010')];
    expect(inOrder([three, one, two])).toEqual([one, two, three]);
  });

  it('takes what follows the last marker, where a name has several', () => {
    const [one, two] = ['block-lock-9-lock-0000000001', 'lock-0000000002'];
    expect(inOrder([two, one])).toEqual([one, two]);
  });

  it('counts all children, as Curator does: those without the marker by their whole name', () => {
    const own = node('a', '0000000005');
    expect(inOrder(['plain', own, '!urgent', '0000000004'])).toEqual(['!urgent', '0000000004', own, 'plain']);
  });

  it('goes on over the end of the signed 32-bit counter', () => {
    const numbers = ['2147483645', '2147483647', '-2147483648', '-2147483647', '-2147483646'];
    const nodes = numbers.map((number, index) => node('fb73a'[index] as string, number));
    expect(inOrder([...nodes].reverse())).toEqual(nodes);
  });

  it('is by number among negative numbers alone, where texts are in the reverse order', () => {
    const nodes = ['-2147483647', '-2147483646', '-2000000000'].map((number) => node('a', number));
    expect(inOrder([...nodes].reverse())).toEqual(nodes);
  });

  it('goes on from the negative numbers to 0', () => {
    const nodes = ['-000000002', '-000000001', '0000000000', '0000000001'].map((number) => node('a', number));
    expect(inOrder([...nodes].reverse())).toEqual(nodes);
  });

  it('keeps others where Curator puts them, also after the wrap', () => {
    const wrapped = node('a', '-2147483648');
    expect(inOrder(['plain', wrapped, '!urgent'])).toEqual(['!urgent', wrapped, 'plain']);
  });

  it('is the order of the texts as long as no number is negative', () => {
    const random = seeded(7);
    for (let round = 0; round < 200; round++) {
      const numbers = Array.from({ length: 20 }, () => Math.floor(random() * 2 ** 31));
      const nodes = numbers.map((number) => node('0123456789abcdef'[number % 16] as string, padded(number)));
      const byText = [...nodes].sort((one, other) => (one.slice(-10) < other.slice(-10) ? -1 : 1));
      expect(inOrder(nodes)).toEqual(byText);
    }
  });

  it('survives the wrap from any number on, for a line of any length', () => {
    for (const length of [2, 3, 100]) {
      for (const start of [2 ** 31 - 1, 2 ** 31 - length, -1, -length, -(2 ** 31)]) {
        const nodes = Array.from({ length }, (_, index) => node('a', padded((start + index) | 0)));
        expect(inOrder([...nodes].reverse())).toEqual(nodes);
      }
    }
  });
});

/** As the server writes it: `%010d`, where the sign is one of the ten places. */
function padded(number: number): string {
  return number < 0 ? `-${String(-number).padStart(9, '0')}` : String(number).padStart(10, '0');
}
