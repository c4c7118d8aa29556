import { describe, expect, it } from 'vitest';
import { granted, history, released, type Said } from './hand-written.testing.ts';
import { queue } from './queue.ts';

const { check } = queue;

const counted = (at: number, requests: number, watchesAnswered?: number): Said => [
  at,
  'lab',
  { f: 'counted', type: 'event', requests, ...(watchesAnswered === undefined ? {} : { watchesAnswered }) },
];
const promise: Said = [-999, 'lab', { f: 'order-promised', type: 'event' }];

/** C, D and E ask in this order. */
const ASKED: Readonly<Record<string, number>> = { C: 10, D: 20, E: 30 };

/** Each through a client of its own, and seen at the server before the next one asks. */
const inLine = (clients = ['c', 'd', 'e'], seen = true): Said[] =>
  Object.entries(ASKED).map(([by, at], index) => [
    at + 5,
    by,
    { f: 'lined-up', type: 'event', client: clients[index] ?? '', seen },
  ]);

/** A holds; those who wait get it in this order, 10 ms after each release. */
function served(order: readonly string[]): Said[] {
  return [
    ...granted('A1', 0),
    ...released('A1', 50),
    ...order.flatMap((by, index) => {
      const at = 60 + index * 30;
      return [...granted(`${by}1`, at, { asked: ASKED[by] ?? 0 }), ...released(`${by}1`, at + 20)];
    }),
  ];
}

describe('the queue', () => {
  it('is kept when all are served as they came, and what a hand-over took is told', () => {
    const counts = [counted(40, 100, 7), counted(200, 106, 10)];
    const found = check(history(promise, inLine(), served(['C', 'D', 'E']), counts));
    expect(found).toEqual({
      verdict: 'safe',
      figures: { waiters: 3, inversions: 0, handOverMs: 10, commandsPerHandover: 2, wakeUpsPerRelease: 1 },
      evidence: [
        'All 3 got it in the order of their coming. Each hand-over took 2 requests and 10 ms. ' +
          '1.00 watches were answered for each release.',
      ],
    });
  });

  it('is kept where nobody counts requests', () => {
    const found = check(history(promise, inLine(), served(['C', 'D', 'E'])));
    expect(found).toMatchObject({ verdict: 'safe', figures: { waiters: 3, inversions: 0, handOverMs: 10 } });
    expect(found.evidence).toEqual(['All 3 got it in the order of their coming. Each hand-over took 10 ms.']);
  });

  it('is not kept when one is served before another whom the server knew before', () => {
    const found = check(history(promise, inLine(), served(['C', 'E', 'D'])));
    expect(found).toMatchObject({ verdict: 'unsafe', figures: { inversions: 1 } });
    expect(found.evidence.join(' ')).toContain('1 waiter of 3 got it before one who had come earlier');
  });

  it('is not kept when one is served before another who waits in the same process', () => {
    const sharing = inLine(['c', 'd', 'd'], false);
    expect(check(history(promise, sharing, served(['C', 'E', 'D']))).verdict).toBe('unsafe');
  });

  it('is kept where those out of turn waited in different processes, and the server knew of neither', () => {
    const sharing = inLine(['c', 'd', 'c'], false);
    const found = check(history(promise, sharing, served(['D', 'C', 'E'])));
    expect(found).toMatchObject({ verdict: 'safe', figures: { inversions: 1 } });
    expect(found.evidence.join(' ')).toContain('In each process, and at the server, the order was kept.');
  });

  it('is not kept when a release wakes all that are left', () => {
    const found = check(history(promise, inLine(), served(['C', 'D', 'E']), counted(40, 0, 0), counted(200, 20, 6)));
    expect(found).toMatchObject({ verdict: 'unsafe', figures: { wakeUpsPerRelease: 2 } });
  });

  it('is not asked of a lock that promises no order, and its figures are told', () => {
    const found = check(history(inLine(), served(['E', 'D', 'C']), counted(40, 0), counted(200, 33)));
    expect(found).toMatchObject({ verdict: 'not-run', figures: { inversions: 2, commandsPerHandover: 11 } });
  });

  it('is undecided when somebody was not served, or had the lock before all stood in line', () => {
    expect(check(history(promise, inLine(), served(['C', 'D']))).verdict).toBe('unknown');
    const early = [...granted('C1', 12, { asked: 10 }), ...granted('D1', 60, { asked: 20 })];
    expect(check(history(promise, inLine(), early, granted('E1', 70, { asked: 30 }))).verdict).toBe('unknown');
  });

  it('is undecided when nobody stood in line, or nobody saw who came first', () => {
    expect(check(history(promise, served(['C', 'D', 'E']))).verdict).toBe('unknown');
    expect(check(history(promise, inLine(['c', 'd', 'e'], false), served(['C', 'D', 'E']))).verdict).toBe('unknown');
  });
});
