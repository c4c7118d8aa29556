import { describe, expect, it } from 'vitest';
import { type LockWithClaims, merged, tableOf, withTable } from './guarantee-table.mjs';
import { read, readJson } from './tree.ts';

const claim = (about: string, stated: string, finding: string, by: readonly string[] = ['crash']) => ({
  about,
  stated,
  finding,
  by,
  says: '',
});

describe('the table of guarantees', () => {
  it.each(['README.md', 'docs/lab/README.md'])(
    'is the one of the stored findings, and nobody has typed in it: %s',
    (page) => {
      const table = tableOf(readJson<readonly LockWithClaims[]>('docs/lab/guarantees.json'));
      expect(withTable(read(page), table), 'npm run guarantees writes it').toBe(read(page));
    },
  );

  it('has a statement only where it was confirmed, or promises nothing', () => {
    const claims = [
      claim('liveness', 'after-ttl', 'confirmed'),
      claim('survivesFailover', 'no', 'nothing', []),
      claim('fencing', 'counter', 'refuted', ['failover']),
      claim('fairness', 'first-come-first-served', 'undecided', []),
      claim('clockAssumption', 'no jump', 'needed', ['clock']),
    ];
    expect(tableOf([{ subject: 'x', date: '2026-01-02', claims }]).split('\n')[2]).toBe(
      '| `x` | after its TTL ✓ | no | **refuted** in `failover` | not confirmed | no jump (needed: `clock`) | 2026-01-02 |',
    );
    const rates = [...claims.slice(0, 4), claim('clockAssumption', 'equal rates', 'confirmed', ['clock-kept'])];
    expect(tableOf([{ subject: 'x', date: '2026-01-02', claims: rates }])).toContain(
      'equal rates (and no date: `clock-kept`)',
    );
  });

  it('keeps what an earlier run found about a lock that was not run again', () => {
    const one = { ...claim('liveness', 'after-ttl', 'confirmed'), subject: 'a' };
    const before = merged([], [one, { ...one, subject: 'b' }], '2026-01-01');
    const after = merged(before, [{ ...one, finding: 'refuted', subject: 'b' }], '2026-02-02');
    expect(after.map(({ subject, date, claims }) => [subject, date, claims[0]?.finding])).toEqual([
      ['a', '2026-01-01', 'confirmed'],
      ['b', '2026-02-02', 'refuted'],
    ]);
  });
});
