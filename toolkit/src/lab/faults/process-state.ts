/**
 * Proof that a signal had its effect, from the operating system and not from the process itself.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { until } from '../until.ts';

const LIMIT_MS = 5_000;

/** Resolves with the proofs, one for each of these processes. Rejects if there is none of which anything could be proven. */
export async function provenOfAll(
  pids: readonly number[],
  proven: (pid: number, signal: AbortSignal) => Promise<string>,
  signal: AbortSignal,
): Promise<string> {
  if (pids.length === 0) throw new Error('There was no process any more that a fault could have had an effect on.');
  return (await Promise.all(pids.map((pid) => proven(pid, signal)))).join(', ');
}

/** Resolves with the proof when the process is stopped. */
export async function provenStopped(pid: number, signal: AbortSignal): Promise<string> {
  const state = await until(`Process ${pid} stopping`, () => inState(pid, (letter) => letter === 'T'), {
    limitMs: LIMIT_MS,
    signal,
  });
  return `state ${state} in ${source(pid)}`;
}

/** Resolves with the proof when the process runs again. */
export async function provenRunning(pid: number, signal: AbortSignal): Promise<string> {
  const state = await until(`Process ${pid} running again`, () => inState(pid, (letter) => letter !== 'T'), {
    limitMs: LIMIT_MS,
    signal,
  });
  return `state ${state} in ${source(pid)}`;
}

/** Resolves with the proof when there is no such process any more. */
export async function provenDead(pid: number, signal: AbortSignal): Promise<string> {
  await until(`Process ${pid} ending`, () => isGone(pid), { limitMs: LIMIT_MS, signal });
  return `no process ${pid}`;
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // What nobody has waited for is still listed, and does nothing any more.
    return stateOf(pid) === 'Z';
  } catch {
    return true;
  }
}

function inState(pid: number, wanted: (letter: string) => boolean): string | undefined {
  const letter = stateOf(pid);
  return letter !== undefined && wanted(letter) ? letter : undefined;
}

/** One letter, as ps prints it: R runs, S sleeps, T is stopped. */
function stateOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    // The name of the program stands in parentheses and may contain some; the state comes after the last one.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).charAt(0);
  }
  return execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' })
    .trim()
    .charAt(0);
}

function source(pid: number): string {
  return process.platform === 'linux' ? `/proc/${pid}/stat` : `ps -p ${pid}`;
}
