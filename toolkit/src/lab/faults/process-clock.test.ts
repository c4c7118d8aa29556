import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ProcessClock, whyNoClock } from './process-clock.ts';

const PROGRAM = "process.stdin.on('data', () => console.log(Date.now(), Math.floor(performance.now())))";

let child: ChildProcess;

beforeEach((context) => {
  const reason = whyNoClock(process.platform);
  if (reason !== undefined) context.skip(reason);
  child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
});

afterEach(() => {
  child?.kill('SIGKILL');
});

/** What the other process says: how far its date is from ours, in seconds, and its monotonic clock in milliseconds. */
async function ask(): Promise<{ aheadS: number; monotonicMs: number }> {
  child.stdin?.write('?');
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const [date, monotonicMs] = line.toString().split(' ').map(Number) as [number, number];
  return { aheadS: Math.round((date - Date.now()) / 1_000), monotonicMs };
}

it('the date of a process can be moved, again and again, and its monotonic clock and our date stay as they are', async () => {
  const before = await ask();
  expect(Math.abs(before.aheadS)).toBeLessThanOrEqual(1);
  const clock = new ProcessClock(child.pid as number);
  const startedAt = performance.now();
  for (const seconds of [3_600, -60, 0]) {
    await clock.moveTo(seconds);
    expect(Math.abs((await ask()).aheadS - seconds)).toBeLessThanOrEqual(1);
  }
  const passedMs = (await ask()).monotonicMs - before.monotonicMs;
  expect(passedMs).toBeLessThan(performance.now() - startedAt + 60_000);
});

it('where it cannot be done it says so', () => {
  expect(whyNoClock('linux', 'arm64')).toMatch(/x86-64/);
  expect(whyNoClock('darwin', 'x64')).toMatch(/Linux/);
});
