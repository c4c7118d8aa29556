import { describe, expect, it } from 'vitest';
import { granted, history, released, type Said } from './hand-written.testing.ts';
import { queue } from './queue.ts';

const { check } = queue;

const watches = (at: number, answered: number, waiters = 3): Said => [
  at,
  'lab',
  { f: 'watches', type: 'event', answered, waiters },
];
const promise: Said = [
  -999,
  'lab',
  { f: 'run', type: 'event', format: 1, experiment: 'x', subject: 'y', ttlMs: 3_000, keepsOrder: true },
];
/** A holds; C, D and E ask in this order, and get it in that of `order`. */
function queueOf(order: readonly string[], answered: number): Said[] {
  const asked: Record<string, number> = { C: 10, D: 20, E: 30 };
  return [
    ...granted('A1', 0),
    watches(40, 0),
    ...released('A1', 50),
    ...order.flatMap((by, index) => {
      const at = 60 + index * 10;
      return [...granted(`${by}1`, at, { asked: asked[by] ?? 0 }), ...released(`${by}1`, at + 5)];
    }),
    watches(100, answered),
  ];
}

describe('the queue', () => {
  it('is kept when all are served as they came and each release answers one watch', () => {
    const found = check(history(promise, queueOf(['C', 'D', 'E'], 3)));
    expect(found).toMatchObject({
      verdict: 'safe',
      figures: { waiters: 3, inversions: 0, wakeUpsPerRelease: 1 },
    });
  });

  it('is not kept when one is served before another who had come earlier', () => {
    const found = check(history(promise, queueOf(['C', 'E', 'D'], 3)));
    expect(found).toMatchObject({ verdict: 'unsafe', figures: { inversions: 1 } });
    expect(found.evidence.join(' ')).toContain('1 waiter of 3 got it before one who had come earlier');
  });

  it('is not kept when a release wakes all that are left', () => {
    const found = check(history(promise, queueOf(['C', 'D', 'E'], 6)));
    expect(found).toMatchObject({ verdict: 'unsafe', figures: { wakeUpsPerRelease: 2 } });
  });

  it('is not asked of a lock that promises no order, and its figures are told', () => {
    const found = check(history(queueOf(['E', 'D', 'C'], 6)));
    expect(found).toMatchObject({ verdict: 'not-run', figures: { inversions: 2, wakeUpsPerRelease: 2 } });
  });

  it('is undecided when somebody was not served', () => {
    expect(check(history(promise, queueOf(['C', 'D'], 2))).verdict).toBe('unknown');
  });

  it('is undecided when the watches were not counted a second time', () => {
    expect(check(history(promise, granted('A1', 0), watches(40, 0))).verdict).toBe('unknown');
  });
});
