import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeBackend, type TestRunner } from './index.ts';

it('the example in the documentation leaves out a case that there is', () => {
  const source = readFileSync(new URL('./index.ts', import.meta.url), 'utf8');
  const [, name = '', reason = ''] = /doesNotApply: \{ '([^']+)': '([^']+)' \}/.exec(source) ?? [];
  expect(reason).not.toBe('');
  const names: string[] = [];
  const runner: TestRunner = {
    describe: (_name, body) => body(),
    it: (caseName) => names.push(caseName),
    beforeAll: () => undefined,
    afterAll: () => undefined,
  };
  const start = (): never => {
    throw new Error('nothing is run here');
  };
  describeBackend(runner, 'mine', { start, doesNotApply: { [name]: reason } });
  expect(names.length).toBeGreaterThan(30);
  expect(names).not.toContain(name);
});
