import { expect, it } from 'vitest';
import { parseToken, StaleTokenError } from './fencing.ts';

it.each([0n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n])(
  'a token comes through JSON as text with all its digits: %s',
  (token) => {
    const received = JSON.parse(JSON.stringify({ token: String(token) })) as { token: string };
    expect(parseToken(received.token)).toBe(token);
  },
);

it('a token that has been a number is refused, since it may have been rounded', () => {
  const received = JSON.parse('{ "token": 9007199254740993 }') as { token: string };
  expect(String(received.token)).toBe('9007199254740992');
  for (const token of [received.token, 12, 12n, null, undefined, ['12']]) {
    expect(() => parseToken(token as string)).toThrow(TypeError);
    expect(() => parseToken(token as string)).toThrow('String(lease.fencingToken)');
  }
});

it.each([
  '',
  ' 12',
  '12\n',
  '-1',
  '+1',
  '012',
  '1e3',
  '0x10',
  '12n',
  '12.0',
  '9007199254740993.0',
  '9.007199254740992e15',
  '٣',
  '1'.repeat(20),
  String(2n ** 63n),
])('a text that is not the decimal form of a token is refused: %j', (text) => {
  expect(() => parseToken(text)).toThrow(RangeError);
  expect(() => parseToken(text)).toThrow(JSON.stringify(text));
});

it('a StaleTokenError can be logged as JSON, with all digits', () => {
  const error = new StaleTokenError('account', 2n ** 53n, 2n ** 53n + 1n);
  expect(JSON.parse(JSON.stringify({ error }))).toEqual({
    error: {
      name: 'StaleTokenError',
      code: 'STALE_TOKEN',
      message: error.message,
      resource: 'account',
      token: '9007199254740992',
      floor: '9007199254740993',
    },
  });
});
