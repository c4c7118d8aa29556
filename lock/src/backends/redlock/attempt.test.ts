import { describe, expect, it } from 'vitest';
import { BackendUnavailableError, OutcomeUnknownError } from '../../core/errors.ts';
import { Attempt } from './attempt.ts';

const [one, two] = [{ number: 1 }, { number: 2 }] as const;
const unknown = new OutcomeUnknownError('the connection broke');
const refused = new BackendUnavailableError('read-only');

describe('an acquisition that is over', () => {
  it('takes back a vote that comes late', () => {
    const attempt = new Attempt();
    attempt.asked(one);
    expect(attempt.mayHave(one)).toBe(true);
    attempt.end();
    expect(attempt.take(one, 'granted')).toBe(true);
    expect(attempt.mayArriveLate(one)).toBe(false);
  });

  it('has a server refuse a request of which nobody knows whether it will arrive', () => {
    const attempt = new Attempt();
    attempt.asked(one);
    attempt.end();
    expect(attempt.take(one, unknown)).toBe(true);
    expect(attempt.mayArriveLate(one)).toBe(true);
  });

  it('asks nothing of a server that gave no vote', () => {
    const attempt = new Attempt();
    attempt.asked(one);
    attempt.asked(two);
    attempt.end();
    expect(attempt.take(one, 'busy 12')).toBe(false);
    expect(attempt.take(two, refused)).toBe(false);
    expect([attempt.mayHave(one), attempt.mayHave(two)]).toEqual([false, false]);
  });

  it('does not ask twice where the server does both in order', () => {
    const attempt = new Attempt();
    attempt.asked(one);
    attempt.leaving(one);
    attempt.end();
    expect(attempt.take(one, 'granted')).toBe(false);
    attempt.left(one);
    expect(attempt.take(one, 'granted')).toBe(true);
  });
});

it('an acquisition that goes on keeps its votes', () => {
  const attempt = new Attempt();
  attempt.asked(one);
  expect(attempt.take(one, 'granted')).toBe(false);
  expect(attempt.mayHave(one)).toBe(true);
});
