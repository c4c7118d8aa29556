/**
 * The command under the lock, as a child process in a session of its own.
 *
 * It gets our standard input, output and error and no other descriptor. With a session of its own it has no controlling
 * terminal, but reads and writes the terminal through these three all the same.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { ExitName } from '../exit-codes.ts';

/** How it ended: one of the two is set, unless it could not be executed. */
export interface CommandEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly failure?: { readonly exit: ExitName; readonly message: string };
}

export interface RunningCommand {
  /** Undefined if it could not be executed. */
  readonly pid: number | undefined;
  readonly ended: Promise<CommandEnd>;
}

export function startCommand(command: string, args: readonly string[], env: Record<string, string>): RunningCommand {
  let child: ChildProcess;
  try {
    child = spawn(command, args, { detached: true, stdio: 'inherit', env: { ...process.env, ...env } });
  } catch (error) {
    return { pid: undefined, ended: Promise.resolve(failedToStart(command, error)) };
  }
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once('error', (error) => {
      // Also emitted when a signal cannot be sent; we send none through this object.
      resolve(failedToStart(command, error));
    });
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return { pid: child.pid, ended };
}

function failedToStart(command: string, error: unknown): CommandEnd {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  const shown = JSON.stringify(command);
  const failure =
    code === 'ENOENT'
      ? {
          exit: 'notFound',
          message: `The command ${shown} was not found. Is it spelled right, and on the PATH of this user?`,
        }
      : {
          exit: 'notExecutable',
          message: `The command ${shown} cannot be executed (${code}). Is it a file, and is it executable?`,
        };
  return { code: null, signal: null, failure: failure as NonNullable<CommandEnd['failure']> };
}
