import { describe, expect, it } from 'vitest';
import { describeOwner, readGranted, readInboxMessage, readInspection, readWaiting } from './replies.ts';

describe('a reply', () => {
  it('keeps a token exact beyond 2^53', () => {
    expect(readGranted('granted 9007199254740993', 5)?.fencingToken).toBe(9_007_199_254_740_993n);
    expect(readGranted('waiting 1', 5)).toBeUndefined();
  });

  it('of a waiter says how long the holder has left, and where its release is told', () => {
    const ours = { lastToken: 7n, remainingMs: undefined, layout: 'ours', channel: undefined };
    expect(readWaiting('waiting 7')).toEqual(ours);
    expect(readWaiting('waiting 7 120')).toEqual({ ...ours, remainingMs: 120 });
    expect(readWaiting('waiting 7 120 string')).toEqual({ ...ours, remainingMs: 120, layout: 'string' });
    expect(readWaiting('waiting 7 120 hash c:{a b}\nc')).toEqual({
      lastToken: 7n,
      remainingMs: 120,
      layout: 'hash',
      channel: 'c:{a b}\nc',
    });
    expect(readWaiting('gone')).toBeUndefined();
  });

  it('in the inbox names the owner, which comes last and may contain anything', () => {
    expect(readInboxMessage('granted 12 500 uuid:1')).toEqual({
      about: 'uuid:1',
      what: 'granted',
      granted: { outcome: 'granted', ttlMs: 500, fencingToken: 12n },
    });
    expect(readInboxMessage('step a b')).toEqual({ about: 'a b', what: 'step' });
    expect(readInboxMessage('broken x')).toEqual({ about: 'x', what: 'broken' });
    expect(readInboxMessage('hello')).toBeUndefined();
    expect(readInboxMessage('')).toBeUndefined();
  });
});

describe('a report', () => {
  const who = describeOwner('inbox', 42, 'my host', 'nightly export\nof all');

  it('tells host, process and purpose of the holder and of the waiters that live', () => {
    const waiter = (silentUntil: number): string => `${silentUntil} 3000 500 100 ${who}`;
    const report = readInspection(
      'x',
      JSON.stringify({
        kind: 'hash',
        remaining: 250,
        fields: ['uuid:1', '1', 'token', '2000000', 'who', who],
        now: '5000',
        waiters: ['dead', waiter(5000), 'alive', waiter(5001)],
      }),
    );
    const process = { host: 'my_host', pid: 42, purpose: 'nightly export\nof all' };
    expect(report.holder).toEqual({
      ...process,
      owner: 'uuid:1',
      since: new Date(2000),
      fencingToken: 2_000_000n,
      remainingMs: 250,
      foreign: false,
    });
    expect(report.waiters).toEqual([{ ...process, owner: 'alive', since: new Date(3000) }]);
  });

  it('shows a holder of another layout as foreign', () => {
    const facts = { remaining: 10, now: '1', waiters: {} };
    const redisson = readInspection('x', JSON.stringify({ ...facts, kind: 'hash', fields: ['uuid:7', '1'] }));
    expect(redisson.holder).toMatchObject({ owner: 'uuid:7', foreign: true, fencingToken: undefined });
    const string = readInspection('x', JSON.stringify({ ...facts, kind: 'string', fields: ['me'] }));
    expect(string.holder).toMatchObject({ owner: 'me', foreign: true, remainingMs: 10 });
    const nobody = readInspection('x', JSON.stringify({ ...facts, kind: 'none', fields: {} }));
    expect(nobody).toEqual({ name: 'x', holder: null, waiters: [] });
  });
});
