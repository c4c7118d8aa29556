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

it('a command that is done does not end before all that it has printed is out, however slowly it is read', async () => {
  vi.useFakeTimers();
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  let isOut: () => void = () => undefined;
  vi.spyOn(process.stdout, 'write').mockImplementation((...args: readonly unknown[]) => {
    isOut = args.at(-1) as () => void;
    return false;
  });
  await conclude(false, async () => 0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(exit).not.toHaveBeenCalled();
  isOut();
  await vi.waitFor(() => expect(exit).toHaveBeenCalledOnce());
});
