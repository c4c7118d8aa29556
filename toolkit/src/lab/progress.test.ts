import picocolors from 'picocolors';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import crash from './experiments/crash.ts';
import pause from './experiments/pause.ts';
import { Progress } from './progress.ts';
import type { Result } from './result.ts';
import type { Task } from './tasks.ts';

/** Each line by itself, from below. */
const ERASE_BOTH = '\x1b[A\x1b[2K'.repeat(2);

const task = (experiment: typeof crash): Task => ({
  experiment,
  subject: { name: 'setnx', source: 'setnx', server: 'redis', followsSentinels: true, isOurs: true },
  timing: experiment.timing(3_000),
  expected: 'safe',
  notRun: undefined,
});
const result: Result = {
  experiment: 'x',
  subject: 'y',
  verdict: 'safe',
  expected: 'safe',
  figures: {},
  checks: [],
  evidence: [],
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function onScreen(isTTY: boolean): { progress: Progress; tasks: Task[]; shown: string[] } {
  const shown: string[] = [];
  const tasks = [task(crash), task(pause)];
  const screen = { isTTY, columns: 80, write: (text: string) => shown.push(text) };
  const progress = new Progress(tasks, {
    screen,
    paint: picocolors.createColors(false),
    workers: 1,
    onFinished: () => {},
  });
  return { progress, tasks, shown };
}

describe('progress elsewhere than on a terminal', () => {
  it('is one line for each task: which it is, what is next, and how long it takes', () => {
    const { progress, tasks, shown } = onScreen(false);
    for (const one of tasks) {
      progress.started(one);
      progress.finished(one, result);
    }
    vi.advanceTimersByTime(10_000);
    progress.close();
    expect(shown).toEqual([
      'holdfast: 1 of 2, crash · setnx; next pause · setnx; about 12 s left\n',
      'holdfast: 2 of 2, pause · setnx; about 7 s left\n',
    ]);
  });
});

describe('progress on a terminal', () => {
  it('shows what each task is doing, and is drawn over itself', () => {
    const { progress, tasks, shown } = onScreen(true);
    progress.started(tasks[0] as Task);
    progress.doing(tasks[0] as Task, 'killing the holder');
    vi.advanceTimersByTime(2_000);
    expect(shown.at(-1)).toBe(
      '  crash · setnx                    killing the holder              2.00 s\n0 of 2 done; next pause · setnx; about 10 s left\n',
    );
    expect(shown.at(-2)).toBe(ERASE_BOTH);
    progress.close();
  });

  it('makes room for what is printed in between, and comes back below it', () => {
    const { progress, tasks, shown } = onScreen(true);
    progress.started(tasks[0] as Task);
    progress.around(() => shown.push('RESULT'));
    expect(shown.slice(-3, -1)).toEqual([ERASE_BOTH, 'RESULT']);
    expect(shown.at(-1)).toContain('crash · setnx');
    progress.close();
  });

  it('is gone when it is over, and draws no more', () => {
    const { progress, tasks, shown } = onScreen(true);
    progress.started(tasks[0] as Task);
    progress.close();
    const last = shown.length;
    vi.advanceTimersByTime(10_000);
    expect(shown.slice(last)).toEqual([]);
    expect(shown.at(-1)).toBe(ERASE_BOTH);
  });

  it('never writes a line that would wrap', () => {
    const { progress, tasks, shown } = onScreen(true);
    progress.started(tasks[0] as Task);
    progress.doing(tasks[0] as Task, 'x'.repeat(200));
    vi.advanceTimersByTime(400);
    for (const line of shown.at(-1)?.split('\n') ?? []) expect(line.length).toBeLessThan(80);
    progress.close();
  });
});
