import { describe, expect, it } from 'vitest';
import { handOver } from './hand-over.ts';
import { fault, granted, history, released } from './hand-written.testing.ts';

const { check } = handOver;

describe('the hand-over', () => {
  it('is counted from the sending of the release to the grant of the one who waited', () => {
    const found = check(history(granted('A1', 0), released('A1', 100), granted('B1', 112, { asked: 50 })));
    expect(found).toMatchObject({ verdict: 'safe', figures: { handOverMs: 12 } });
  });

  it('is not one when the next asked only after the release', () => {
    expect(check(history(granted('A1', 0), released('A1', 100), granted('B1', 130, { asked: 110 }))).verdict).toBe(
      'unknown',
    );
  });

  it('is not one when the holder was killed', () => {
    const killed = history(granted('A1', 0), fault('kill', 'A', 100), granted('B1', 3_100, { asked: 50 }));
    expect(check(killed).verdict).toBe('unknown');
  });
});
