import { describe, expect, it } from 'vitest';
import {
  contends,
  doubts,
  failed,
  fault,
  granted,
  history,
  refused,
  released,
  type Said,
} from './hand-written.testing.ts';
import { service } from './service.ts';

const { check } = service;
const leads = (at: number): Said => [at, 'etcd-2', { f: 'server', type: 'event', event: 'leads', says: 'leads now' }];
/** A holds, B asks, the leader dies at 100, another leads at 600, and B is answered again at 900. */
const until900: Said[] = [
  ...granted('A1', 0),
  contends('B', 20),
  ...refused('B', 40),
  ...refused('B', 90),
  ...fault('kill', 'etcd-1', 100),
  ...failed('B', 200),
  leads(600),
  ...refused('B', 900),
];

describe('the service after the death of a server', () => {
  it('was away between two answers to the rival, and requests without an answer do not count as one', () => {
    const found = check(history(until900, refused('B', 950), released('A1', 1_000), granted('B1', 1_010)));
    expect(found).toMatchObject({
      verdict: 'safe',
      figures: { withoutServiceMs: 810, electionMs: 500, lockKept: true },
    });
    expect(found.evidence[0]).toContain('etcd-2 led after 500 ms');
  });

  it('was away until the grant, if that is the first answer', () => {
    const found = check(
      history(
        granted('A1', 0),
        refused('B', 90),
        fault('kill', 'etcd-1', 100),
        released('A1', 500),
        granted('B1', 510),
      ),
    );
    expect(found.figures).toMatchObject({ withoutServiceMs: 420, lockKept: true });
  });

  it('was not enough when the holder lost the lock', () => {
    const found = check(history(until900, doubts('A1', 950, 940), released('A1', 1_000), granted('B1', 1_010)));
    expect(found).toMatchObject({ verdict: 'unsafe', figures: { lockKept: false } });
    expect(found.evidence[0]).toContain('A1 lost the lock at T+0.94s');
  });

  it('was wrong when another was given the lock', () => {
    const found = check(history(until900, granted('B1', 950), released('A1', 1_000)));
    expect(found).toMatchObject({ verdict: 'unsafe', figures: { lockKept: false } });
    expect(found.evidence[0]).toContain('before A1 gave it back');
  });

  it('is undecided when nobody was answered after the fault, or nobody held', () => {
    expect(check(history(granted('A1', 0), refused('B', 90), fault('kill', 'etcd-1', 100))).verdict).toBe('unknown');
    expect(check(history(fault('kill', 'etcd-1', 100), refused('B', 200))).verdict).toBe('unknown');
  });
});
