import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXIT_CODES, exitNameOf } from './exit-codes.ts';

describe('the exit codes', () => {
  const rows = Object.values(EXIT_CODES);

  it('are all different, and none can be taken for a signal', () => {
    expect(new Set(rows.map(({ code }) => code)).size).toBe(rows.length);
    for (const { code } of rows) expect(code).toBeLessThan(128);
  });

  it('stand in the documentation, each with its meaning and no others', () => {
    const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, meaning]) => ({
      code: Number(code),
      meaning,
    }));
    expect(listed).toEqual(rows.toSorted((one, other) => one.code - other.code));
  });

  it('tell busy, lost, away, refused and misconfigured apart', () => {
    const names = ['BUSY', 'LOST', 'UNAVAILABLE', 'ACCESS_DENIED', 'CONFIG'].map(exitNameOf);
    expect(new Set(names).size).toBe(5);
    expect(exitNameOf('OUTCOME_UNKNOWN')).toBe(exitNameOf('UNAVAILABLE'));
    expect(exitNameOf('a code that nobody knows')).toBe('internal');
  });
});
