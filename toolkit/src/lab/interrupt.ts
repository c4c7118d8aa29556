/**
 * Ctrl-C, and the other ways to ask a program to end: everything that was started is stopped first, then the exit code
 * says which signal it was. A second signal does not wait for that; the reaper then does it.
 *
 * @module
 */
import { constants } from 'node:os';
import { SIGNAL_BASE } from '../cli/exit-codes.ts';
import type { Reaper } from './reaper.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** How long tasks may take to take their scenes down: keys on a user's server are removed then. */
const UNWIND_LIMIT_MS = 3_000;

export interface Interrupt {
  /** Aborts with the first signal. */
  readonly signal: AbortSignal;
  /** The outcome of the work; after a signal it never settles, since the program ends. */
  unlessInterrupted<T>(work: Promise<T>): Promise<T>;
  dispose(): void;
}

export function endOnSignal(reaper: Reaper): Interrupt {
  const controller = new AbortController();
  let current: Promise<unknown> = Promise.resolve();

  const onSignal = (name: NodeJS.Signals): void => {
    const exitCode = SIGNAL_BASE + constants.signals[name];
    if (controller.signal.aborted) process.exit(exitCode);
    // First the abort, which takes the progress off the terminal.
    controller.abort(new Error(`The check-up was ended by ${name}.`));
    process.stderr.write('\nholdfast: stopping what was started …\n');
    const unwound = Promise.race([
      current.catch(() => {}),
      new Promise((resolve) => setTimeout(resolve, UNWIND_LIMIT_MS)),
    ]);
    unwound.then(() => reaper.close()).finally(() => process.exit(exitCode));
  };
  for (const name of SIGNALS) process.on(name, onSignal);

  return {
    signal: controller.signal,
    async unlessInterrupted(work) {
      current = work;
      try {
        const outcome = await work;
        if (!controller.signal.aborted) return outcome;
      } catch (error) {
        if (!controller.signal.aborted) throw error;
      }
      return await new Promise<never>(() => {});
    },
    dispose() {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
