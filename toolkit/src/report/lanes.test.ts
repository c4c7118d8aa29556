import { describe, expect, it } from 'vitest';
import {
  believes,
  contends,
  doubts,
  fault,
  granted,
  history,
  incomplete,
  reads,
  refused,
  released,
  writes,
} from '../lab/checkers/hand-written.testing.ts';
import type { Lane, Lanes } from './lane.ts';
import { lanesOf } from './lanes.ts';

/** A holder that sleeps past its TTL, its rival, and what the two registers made of it. */
const pause = history(
  granted('A1', 0, { token: '1' }),
  reads(1, 10, 'A1', 0, 0),
  writes(2, 20, 'A1', { open: [0, 1], guarded: [0, 1] }),
  fault('stop', 'A', 100),
  contends('B', 110),
  refused('B', 150),
  granted('B1', 300, { token: '2', asked: 299 }),
  reads(3, 310, 'B1', 1, 1),
  writes(4, 320, 'B1', { open: [1, 2], guarded: [1, 2] }),
  fault('continue', 'A', 400),
  believes('A1', 405),
  writes(5, 410, 'A1', { open: [1, 3], guarded: [1, { floor: '2' }] }),
  doubts('A1', 450, 440),
  released('A1', 460),
  writes(6, 470, 'B1', { open: [2, 4], guarded: [2, 3] }),
  released('B1', 500),
);

function lane({ lanes }: Lanes, id: string): Lane {
  const found = lanes.find((one) => one.id === id);
  if (!found) throw new Error(`There is no lane ${id}.`);
  return found;
}

function lanesOfPause(): Lanes {
  const lanes = lanesOf(pause);
  if (!lanes) throw new Error('There are no lanes.');
  return lanes;
}

describe('the lanes of a history', () => {
  const lanes = lanesOfPause();

  it('are one for each who asked, and one for each register', () => {
    expect(lanes.lanes.map(({ id, role }) => [id, role])).toEqual([
      ['A', 'holder'],
      ['B', 'holder'],
      ['open', 'register'],
      ['guarded', 'register'],
    ]);
  });

  it('show when each waited, believed, doubted and was stopped, from the first grant on', () => {
    expect(lane(lanes, 'A').spans).toEqual([
      ['believes', 0, 440],
      ['doubts', 440, 450],
      ['stopped', 100, 400, 'stop'],
    ]);
    expect(lane(lanes, 'B').spans).toEqual([
      ['waits', 110, 300],
      ['believes', 300, 500],
    ]);
  });

  it('show what each register did with each write, as the checkers see it', () => {
    const kinds = (id: string): unknown => lane(lanes, id).marks.map(([kind, at, by]) => [kind, at, by]);
    expect(kinds('open')).toEqual([
      ['write', 20, 'A'],
      ['write', 320, 'B'],
      ['stale', 410, 'A'],
      ['lost', 470, 'B'],
    ]);
    expect(kinds('guarded')).toEqual([
      ['write', 20, 'A'],
      ['write', 320, 'B'],
      ['refused', 410, 'A'],
      ['write', 470, 'B'],
    ]);
    expect(lane(lanes, 'guarded').marks[2]?.[3]).toMatch(/< 2$/);
  });

  it('show how long two believed at once', () => {
    expect(lanes.overlaps).toEqual([{ older: 'A', newer: 'B', from: 300, to: 440 }]);
  });

  it('say how a fault is proven, and end with what happened last, long before the record does', () => {
    expect(lane(lanes, 'A').marks.filter(([kind]) => kind === 'fault')).toEqual([
      ['fault', 100, 'stop', 'stop (seen)'],
      ['fault', 400, 'continue', 'continue (seen)'],
    ]);
    expect(lanes.from).toBeLessThan(0);
    expect(lanes.to).toBeGreaterThan(500);
    expect(lanes.to).toBeLessThan(600);
  });

  it('let the death of a server last to the end', () => {
    const died = lanesOf(history(granted('A1', 0), fault('kill', 'primary', 50), released('A1', 100)));
    expect(died && lane(died, 'primary').spans).toEqual([['dead', 50, died?.to, 'kill']]);
  });

  it('are none where nobody ever had the lock', () => {
    expect(lanesOf(incomplete(refused('A', 5)))).toBeUndefined();
  });
});
