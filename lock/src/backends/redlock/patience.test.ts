import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Patience } from './patience.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('ends each wait in its own time, with one timer for all', () => {
  const patience = new Patience(200);
  const ended: string[] = [];
  patience.wait(200, () => ended.push('first'));
  vi.advanceTimersByTime(50);
  patience.wait(200, () => ended.push('second'));
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(150);
  expect(ended).toEqual(['first']);
  vi.advanceTimersByTime(49);
  expect(ended).toEqual(['first']);
  vi.advanceTimersByTime(1);
  expect(ended).toEqual(['first', 'second']);
  expect(vi.getTimerCount()).toBe(0);
});

it('does not end what was stopped before, and goes on watching afterwards', () => {
  const patience = new Patience(200);
  const end = vi.fn();
  patience.wait(200, end)();
  vi.advanceTimersByTime(100);
  patience.wait(200, end)();
  vi.advanceTimersByTime(1_000);
  expect(end).not.toHaveBeenCalled();
  patience.wait(200, end);
  vi.advanceTimersByTime(200);
  expect(end).toHaveBeenCalledTimes(1);
});

it('gives another time than the usual one a timer of its own', () => {
  const patience = new Patience(200);
  const ended: string[] = [];
  patience.wait(200, () => ended.push('usual'));
  patience.wait(20, () => ended.push('short'));
  patience.wait(10, () => ended.push('stopped'))();
  vi.advanceTimersByTime(20);
  expect(ended).toEqual(['short']);
});
