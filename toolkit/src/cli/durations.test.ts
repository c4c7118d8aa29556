import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './durations.ts';

describe('a duration on the command line', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['500ms', 500],
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['1d', 86_400_000],
  ])('%s is %d ms', (text, ms) => expect(parseDuration('--ttl', text)).toBe(ms));

  it.each(['30', '', 's', '-5s', '5 s', '5x', '1e3s', '30sec', 'Infinity'])(
    '%j is refused with the option named',
    (text) => {
      expect(() => parseDuration('--ttl', text)).toThrow(/^--ttl must be a duration with its unit/);
    },
  );

  it('without a unit is answered with both readings of it', () => {
    expect(() => parseDuration('--wait', '30')).toThrow('such as 30s or 30ms');
  });

  it('that no timer can wait for is refused with the limit', () => {
    expect(() => parseDuration('--wait', '30d')).toThrow('--wait must be at most 24d 20h, and is 30d.');
  });
});

describe('a duration for people', () => {
  it.each([
    [0, '0ms'],
    [-5, '0ms'],
    [850.9, '850ms'],
    [2_500, '2.5s'],
    [9_000, '9s'],
    [9_999, '9.9s'],
    [9_050, '9s'],
    [12_999, '12s'],
    [125_000, '2m 5s'],
    [3_600_000, '1h'],
    [3_599_999, '59m 59s'],
    [90_061_000, '1d 1h'],
  ])('%d ms is %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});
