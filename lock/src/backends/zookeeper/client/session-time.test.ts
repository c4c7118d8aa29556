import { describe, expect, it } from 'vitest';
import type { Instant } from '../../../core/clock.ts';
import { SessionTime } from './session-time.ts';

const at = (ms: number): Instant => ms as Instant;

describe('the time of a session', () => {
  it('counts from the request that made it', () => {
    expect(new SessionTime(1_000, at(5)).certainFrom).toBe(5);
  });

  it('is not prolonged by pings, however many are answered: a follower answers them by itself', () => {
    const time = new SessionTime(1_000, at(0));
    for (let ms = 100; ms < 5_000; ms += 100) time.take(at(ms), at(ms + 1), false);
    expect(time.certainFrom).toBe(0);
  });

  it('is prolonged by an answer of the leader, up to what was answered a quarter of the session before it was asked', () => {
    const time = new SessionTime(1_000, at(0));
    for (const ms of [100, 300, 500, 700]) time.take(at(ms), at(ms + 10), false);
    time.take(at(760), at(770), true);
    expect(time.certainFrom).toBe(500);
  });

  it('is not prolonged by the answer of the leader alone: the follower may not have reported us yet', () => {
    const time = new SessionTime(1_000, at(0));
    time.take(at(900), at(910), true);
    expect(time.certainFrom).toBe(0);
    time.take(at(1_200), at(1_210), true);
    expect(time.certainFrom).toBe(900);
  });

  it('looks at when a request was answered, not at when it was sent', () => {
    const time = new SessionTime(1_000, at(0));
    time.take(at(100), at(600), false);
    time.take(at(700), at(710), true);
    expect(time.certainFrom).toBe(0);
  });

  it('is enough for a grant, or will be: behind a long silence an answer is needed that is a quarter of the session old', () => {
    const time = new SessionTime(1_000, at(0));
    expect(time.grantableInMs(at(600))).toBe(0);
    time.take(at(640), at(641), true); // the first answer since it was made
    expect(time.grantableInMs(at(641))).toBe(250);
    time.take(at(892), at(893), true);
    expect(time.certainFrom).toBe(640);
    expect(time.grantableInMs(at(893))).toBe(0);
  });

  it('never goes back', () => {
    const time = new SessionTime(1_000, at(800));
    time.take(at(900), at(910), false);
    time.take(at(1_000), at(1_010), true);
    expect(time.certainFrom).toBe(800);
  });
});
