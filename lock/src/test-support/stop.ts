import { readdirSync, readFileSync } from 'node:fs';

/** A signal takes a moment to arrive; longer than this it does not take. */
const PATIENCE_MS = 2_000;

/**
 * Stops a process with SIGSTOP, and returns when all its threads have stopped, where `/proc` tells: until then a server may
 * still answer.
 */
export function stop(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGSTOP');
  } catch {
    return; // it has ended
  }
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (isRunning(pid) && performance.now() < giveUpAt);
}

function isRunning(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).some((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      return !/^[TtZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
    });
  } catch {
    return false; // no such system, or no such thread any more
  }
}
