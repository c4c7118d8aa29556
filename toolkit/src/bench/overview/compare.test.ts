import { expect, it } from 'vitest';
import { compare, firstLine, ratioTo } from './compare.ts';

const rounds = { rounds: 3, warmUp: 1 };

it('a ratio is Holdfast to the other, of the same round', async () => {
  const figures: Record<string, number> = { holdfast: 2, raw: 4 };
  const compared = await compare(['holdfast', 'raw'], rounds, async (id, round) => (figures[id] as number) + round);
  expect(compared.get('raw')).toEqual({ rounds: [4, 5, 6] });
  expect(ratioTo(compared, 'raw', (figure) => figure)).toEqual({ median: 3 / 5, min: 2 / 4, max: 4 / 6 });
  expect(ratioTo(compared, 'holdfast', (figure) => figure)).toBeNull();
});

it('a subject that fails is left out from then on, with its reason, and the others are measured', async () => {
  const asked: string[] = [];
  const compared = await compare(['holdfast', 'peer'], rounds, async (id, round) => {
    asked.push(`${id}${round}`);
    if (id === 'peer' && round === 1) throw new TypeError('It has no lock.\n    at somewhere');
    return round;
  });
  expect(compared.get('holdfast')).toEqual({ rounds: [0, 1, 2] });
  expect(compared.get('peer')).toEqual({ failed: 'It has no lock.' });
  expect(asked).not.toContain('peer2');
  expect(ratioTo(compared, 'peer', (figure) => figure)).toBeNull();
});

it('of an error that came from another process only what it says is kept', () => {
  expect(firstLine('TypeError: no lock\n    at acquire (peer.mjs:3)')).toBe('no lock');
});
