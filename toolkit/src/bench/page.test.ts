import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withFigures } from './page.ts';

const page = readFileSync(new URL('../../../docs/bench.md', import.meta.url), 'utf8');

it('new figures stand in place of the old ones, and the words stay', () => {
  const once = withFigures(page, 'old figures');
  const twice = withFigures(once, 'new figures');
  expect(twice).toContain('new figures');
  expect(twice).not.toContain('old figures');
  expect(twice.split('\n')[0]).toBe(page.split('\n')[0]);
  expect(withFigures(twice, 'old figures')).toBe(once);
});

it('a page without a place for figures is refused', () => {
  expect(() => withFigures('# A page', 'figures')).toThrow('no place for figures');
});
