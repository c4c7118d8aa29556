import { afterEach, expect, it, vi } from 'vitest';
import { conclude } from './output.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

it('a command that is done ends although something is left open, with the code that it has given', async () => {
  vi.useFakeTimers();
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  await conclude(false, async () => 75);
  expect(exit).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(exit).toHaveBeenCalledOnce();
  expect(process.exitCode).toBe(75);
});
