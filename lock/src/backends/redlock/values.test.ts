import { expect, it } from 'vitest';
import { BackendUnavailableError } from '../../core/errors.ts';
import { describeOwner, readHolder } from './values.ts';

const away = new BackendUnavailableError('away');
const vote = (owner: string, restMs: number, purpose?: string): string =>
  `string ${restMs} ${owner} 1700000000123 ${describeOwner(42, 'a host', purpose)}`;

it('the holder is who has a majority of the votes, for as long as it has one', () => {
  const holder = readHolder([
    vote('a:1', 900),
    'free',
    vote('a:1', 700),
    vote('b:7', 1_000),
    vote('a:1', 800, 'nightly'),
  ]);
  expect(holder).toEqual({
    owner: 'a:1',
    host: 'a_host',
    pid: 42,
    purpose: 'nightly',
    since: new Date(1_700_000_000_123),
    fencingToken: undefined,
    remainingMs: 700,
    foreign: false,
  });
});

it('nobody is, where no owner has a majority', () => {
  expect(readHolder([vote('a:1', 900), vote('a:1', 900), vote('b:1', 900), vote('b:1', 900), 'free'])).toBeNull();
  expect(readHolder(['free', 'free', 'free', away, undefined])).toBeNull();
});

it('who may have a majority is shown, and not for how long', () => {
  expect(readHolder([vote('a:1', 900), vote('a:1', 900), 'free', away, undefined])).toMatchObject({
    owner: 'a:1',
    remainingMs: undefined,
  });
});

it('a client of another layout is shown by its value', () => {
  expect(readHolder(['string 10 f2c1', 'string 20 f2c1', 'string 30 f2c1'])).toMatchObject({
    owner: 'f2c1',
    foreign: true,
    remainingMs: 20,
    pid: undefined,
  });
  expect(readHolder(['hash 10 ', 'hash 20 ', 'free'])).toMatchObject({ owner: '?', foreign: true });
});
