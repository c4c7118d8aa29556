import { describe, expect, it, vi } from 'vitest';
import { Shards } from './shards.ts';

const settled = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

function open() {
  const subscribed: string[] = [];
  const events = { onInbox: vi.fn(), onDeaf: vi.fn() };
  const shards = new Shards(events);
  let answer: () => Promise<unknown> = async () => undefined;
  const channels = {
    subscribe: (channel: string) => {
      subscribed.push(channel);
      return answer();
    },
    unsubscribe: async (channel: string) => subscribed.splice(subscribed.indexOf(channel), 1),
  };
  const answerWith = (next: () => Promise<unknown>): void => {
    answer = next;
  };
  return { shards, events, channels, subscribed, answerWith };
}

const prove = async (): Promise<void> => undefined;

describe('the inbox of a lock on its shard', () => {
  it('is opened for the first who waits, who looks once when it is open', async () => {
    const { shards, channels, subscribed } = open();
    const wake = vi.fn();
    expect(shards.hears('a', wake, prove)).toBe(false);
    expect(subscribed).toEqual([]);
    shards.connected(channels);
    await settled();
    expect(subscribed).toEqual(['a']);
    expect(wake).toHaveBeenCalledTimes(1);
    expect(shards.hears('a', wake, prove)).toBe(true);
    expect(subscribed).toEqual(['a']);
  });

  it('takes what comes through it, and proofs for itself', async () => {
    const { shards, events, channels } = open();
    shards.connected(channels);
    shards.hears('a', () => undefined, prove);
    expect(shards.take('a', 'step x')).toBe(true);
    expect(shards.take('a', 'proof')).toBe(true);
    expect(shards.take('b', 'step y')).toBe(false);
    expect(events.onInbox.mock.calls).toEqual([['step x']]);
  });

  it('is opened anew on each connection, where somebody waits', async () => {
    const { shards, channels, subscribed } = open();
    const [wake, gone] = [vi.fn(), vi.fn()];
    shards.connected(channels);
    shards.hears('a', wake, prove);
    shards.hears('b', gone, prove);
    await settled();
    shards.leave('b', gone);
    shards.disconnected();
    expect(shards.hears('a', wake, prove)).toBe(false);
    subscribed.length = 0;
    shards.connected(channels);
    await settled();
    expect(subscribed).toEqual(['a']);
    expect(wake).toHaveBeenCalledTimes(2);
  });

  it('stays open for a while when nobody waits any more, and the oldest of many is closed', async () => {
    const { shards, channels, subscribed } = open();
    shards.connected(channels);
    for (let lock = 0; lock < 70; lock++) {
      const wake = (): void => undefined;
      shards.hears(`lock:${lock}`, wake, prove);
      shards.leave(`lock:${lock}`, wake);
    }
    await settled();
    expect(subscribed).toHaveLength(64);
    expect(subscribed[0]).toBe('lock:6');
    expect(shards.hears('lock:69', () => undefined, prove)).toBe(true);
  });

  it('is asked for again after a refusal', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const { shards, channels, subscribed, answerWith } = open();
      shards.connected(channels);
      answerWith(() => Promise.reject(new Error('CLUSTERDOWN')));
      const wake = vi.fn();
      shards.hears('a', wake, prove);
      await settled();
      expect(shards.hears('a', wake, prove)).toBe(false);
      answerWith(async () => undefined);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(subscribed).toEqual(['a', 'a']);
      expect(wake).toHaveBeenCalledTimes(1);
      expect(shards.hears('a', wake, prove)).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('through which no proof comes says so', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000);
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const { shards, channels, events } = open();
      shards.connected(channels);
      const wake = (): void => undefined;
      shards.hears('a', wake, prove);
      await settled();
      clock.mockReturnValue(4_000);
      shards.hears('a', wake, prove);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(events.onDeaf).toHaveBeenCalledTimes(1);
    } finally {
      vi.useRealTimers();
      clock.mockRestore();
    }
  });
});
