import { describe, expect, it } from 'vitest';
import {
  believes,
  contends,
  doubts,
  failed,
  fault,
  granted,
  history,
  reads,
  refused,
  released,
  type Said,
  writes,
} from '../checkers/hand-written.testing.ts';
import { momentsOf } from './timeline.ts';

const told = (...parts: (Said | Said[])[]): string[] =>
  momentsOf(history(...parts)).map(({ atMs, by, says }) => `${atMs} ${by} ${says}`);
const server = (at: number, event: string, key = 'x'): Said => [
  at,
  'redis',
  { f: 'server', type: 'event', event, key },
];

describe('the timeline', () => {
  it('says what a release failed with', () => {
    const rejected: Said[] = [
      [700, 'A', { f: 'release', type: 'invoke', op: 901, hold: 'A1' }],
      [701, 'A', { f: 'release', type: 'info', op: 901, hold: 'A1', error: 'no reply' }],
    ];
    expect(told(granted('A1', 500), rejected).slice(1)).toEqual([
      '200 A releases',
      '201 A its release failed: no reply',
    ]);
  });

  it('counts from the first grant', () => {
    expect(told(granted('A1', 500), released('A1', 700))).toEqual(['0 A has the lock (TTL 3.00 s)', '200 A releases']);
  });

  it('tells the try that succeeded, and not those that were refused', () => {
    expect(
      told(
        granted('A1', 0),
        fault('kill', 'A', 10),
        contends('B', 20),
        refused('B', 30),
        refused('B', 80),
        granted('B1', 130, { token: '7' }),
      ),
    ).toEqual([
      '0 A has the lock (TTL 3.00 s)',
      '10 A is killed: kill (seen)',
      '20 B asks for the lock every 50 ms',
      '130 B has the lock (try 3, token 7)',
    ]);
  });

  it('tells once that requests failed, and how many', () => {
    expect(told(granted('A1', 0), contends('B', 20), failed('B', 30, 'connection refused'), failed('B', 80))).toContain(
      '30 B 2 requests for the lock failed: connection refused',
    );
  });

  it('tells what a holder thinks that wakes', () => {
    const asleep = [granted('A1', 0), fault('stop', 'A', 100), granted('B1', 3_000), fault('continue', 'A', 3_100)];
    expect(told(...asleep, believes('A1', 3_105))).toContain('3105 A wakes, and still believes that it holds the lock');
    expect(told(...asleep, doubts('A1', 3_105, 99))).toContain(
      '3105 A wakes, and knows at its first look that the lock is lost',
    );
  });

  it('tells that nobody has told a holder anything', () => {
    expect(told(granted('A1', 0), granted('B1', 100), released('A1', 1_100))).toContain(
      '1100 A has been told nothing for 1.00 s, and believes that it holds',
    );
  });

  it('tells the first stale write and their number, with what the guard said', () => {
    const moments = told(
      granted('A1', 0, { token: '1' }),
      granted('B1', 100, { token: '2' }),
      reads(1, 101, 'B1', 0, 0),
      writes(2, 102, 'A1', { open: [0, 1], guarded: [0, { floor: '2' }] }),
      writes(3, 103, 'A1', { open: [1, 2], guarded: [0, { floor: '2' }] }),
      released('A1', 104),
    );
    expect(moments).toContain('103 A has written 2 times like that');
    expect(moments.find((line) => line.startsWith('102'))).toMatch(/refused by the guard \(token .* < 2\)/);
  });

  it('tells when a release has ended the lock of another', () => {
    const moments = told(
      granted('A1', 0),
      granted('B1', 100),
      server(101, 'set'),
      released('A1', 200),
      server(201, 'del'),
      released('B1', 300),
    );
    expect(moments).toContain("201 redis the key is deleted, and it was B's lock");
  });

  it('does not take the deletion of something else for that', () => {
    const moments = told(
      granted('A1', 0),
      granted('B1', 100),
      server(101, 'set'),
      released('A1', 200),
      server(201, 'del', 'another'),
      released('B1', 300),
    );
    expect(moments.join()).not.toContain('deleted');
  });

  it('does not take the release of the holder itself for that', () => {
    const moments = told(
      granted('A1', 0),
      released('A1', 100),
      server(101, 'del'),
      granted('B1', 200),
      released('B1', 300),
      server(301, 'del'),
    );
    expect(moments.join()).not.toContain('deleted');
  });

  it('tells renewals and expiry of a key, but not the expiry that its making sets', () => {
    const moments = told(
      granted('A1', 0),
      server(0.5, 'set'),
      server(0.6, 'expire'),
      server(1_000, 'expire'),
      server(4_000, 'expired'),
    );
    expect(moments.slice(1)).toEqual(['1000 redis the key is renewed', '4000 redis the key expires']);
  });

  it('tells many renewals with the first and the last', () => {
    const renewals = [1_000, 2_000, 3_000, 4_000, 5_000].map((at) => server(at, 'expire'));
    expect(told(granted('A1', 0), server(0.5, 'set'), server(0.6, 'expire'), renewals).slice(1)).toEqual([
      '1000 redis the key is renewed',
      '5000 redis the key is renewed, for the 5th time',
    ]);
  });

  it('tells trouble in its own words', () => {
    expect(
      told([5, 'lab', { f: 'trouble', type: 'event', error: 'open() of the subject did not return.' }])[0],
    ).toContain('open() of the subject');
  });

  it('says who waits without asking again, and who leads after a leader has died', () => {
    const waits: Said = [5, 'B', { f: 'contend', type: 'event', everyMs: 0 }];
    const leads: Said = [20, 'etcd-2', { f: 'server', type: 'event', event: 'leads', says: 'leads now' }];
    const fault10 = fault('kill', 'etcd-1', 10);
    expect(told(granted('A1', 0), waits, fault10, leads, released('A1', 25), granted('B1', 30, { asked: 6 }))).toEqual([
      '0 A has the lock (TTL 3.00 s)',
      '5 B waits for the lock',
      '10 etcd-1 is killed: kill (seen)',
      '20 etcd-2 leads now',
      '25 A releases',
      '30 B has the lock (TTL 3.00 s)',
    ]);
  });

  it('tells of a long row of waiters the first two and the last', () => {
    const waiter = (number: number): Said[] => {
      const by = `W${number}`;
      const at = number * 10;
      return [...granted('A9', at), ...released('A9', at + 5)].map(([when, , happening]) => [when, by, happening]);
    };
    const row = [1, 2, 3, 4, 5].flatMap(waiter);
    expect(told(granted('A1', 0), released('A1', 5), row).slice(2)).toEqual([
      '10 W1 has the lock (TTL 3.00 s)',
      '15 W1 releases',
      '20 W2 has the lock (TTL 3.00 s)',
      '25 W2 releases',
      '30 W… 2 more have the lock, one after the other',
      '50 W5 has the lock (TTL 3.00 s)',
      '55 W5 releases',
    ]);
  });
});
