import { describe, expect, it } from 'vitest';
import { distance } from './distance.ts';
import { granted, history, released, type Said } from './hand-written.testing.ts';

const { check } = distance;

const roundTrip: Said = [-5, 'lab', { f: 'round-trip', type: 'event', tookMs: 20 }];
const inside = (hold: string, at: number): Said => [at, hold.charAt(0), { f: 'section', type: 'enter', hold }];

const pairs: Said[] = [
  ...granted('A1', 20, { asked: 0 }),
  ...released('A1', 30),
  ...granted('A2', 139, { asked: 100 }),
  ...released('A2', 140),
  ...granted('A3', 241, { asked: 200 }),
  ...released('A3', 250),
];
/** B waits while A works, and gets it 30 ms after the release. */
const handOver: Said[] = [
  ...granted('A4', 320, { asked: 300 }),
  inside('A4', 321),
  ...released('A4', 400),
  ...granted('B1', 430, { asked: 350 }),
  inside('B1', 431),
  ...released('B1', 500),
];

describe('the cost of distance', () => {
  it('is the quickest pair that nobody disturbs, and the median of hand-overs, in round trips', () => {
    expect(check(history(roundTrip, pairs, handOver))).toEqual({
      verdict: 'safe',
      figures: { roundTripMs: 20, pairMs: 21, pairRoundTrips: 1.1, handOverMs: 30, handOverRoundTrips: 1.5 },
      evidence: [
        'A round trip took 20 ms. Taking and releasing a free lock took 21 ms, 1.1 of them. ' +
          'A hand-over took 30 ms, 1.5 of them.',
      ],
    });
  });

  it('is unknown without the measure, without a pair, and where nobody waited', () => {
    expect(check(history(pairs, handOver)).verdict).toBe('unknown');
    expect(check(history(roundTrip, handOver)).verdict).toBe('unknown');
    expect(check(history(roundTrip, pairs)).verdict).toBe('unknown');
  });
});
