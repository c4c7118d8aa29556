/**
 * The last watch: a small `sh` that does nothing but wait for the end of the guard, and then ends the command. It is
 * there for the case that the guard and the front are killed in one blow (`pkill -9 node`), when no program of ours is
 * left that could. It has the end of a pipe, so that the kernel itself tells it.
 *
 * While the front lives, it is the front that waits until all is gone and gives the lock back; the two do not meet,
 * since the last watch sends the SIGTERM and the front does not.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';

/** Between two looks of the script whether the group is still there. */
const ROUND_MS = 200;

/**
 * Reads the number of the group, then words. A number says how many rounds the group has between SIGTERM and SIGKILL,
 * 0 that it has been asked already; `done` says that there is nothing left to do. The end of the pipe without it means
 * that the guard is dead.
 */
const SCRIPT = `
trap '' TERM INT HUP QUIT USR1 USR2
read -r group || exit 0
rounds=0
while read -r word; do
  [ "$word" = done ] && exit 0
  rounds=$word
done
[ "$rounds" -gt 0 ] && kill -s TERM -- "-$group" && kill -s CONT -- "-$group"
while [ "$rounds" -gt 0 ]; do
  sleep ${ROUND_MS / 1_000}
  kill -s 0 -- "-$group" || exit 0
  rounds=$((rounds - 1))
done
kill -s KILL -- "-$group"
`;

export class LastWatch {
  readonly #shell: ChildProcess;

  /** Starts it before the command, so that from then on a line is enough. */
  constructor() {
    // In a session of its own, so that no terminal and no signal to the command's group reaches it.
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT, 'holdfast-last-watch'], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#shell.on('error', () => undefined); // no shell, no last watch: the front and the guard watch each other
    this.#shell.stdin?.on('error', () => undefined); // somebody has ended it
    this.#shell.unref();
  }

  /** From now on the end of this process is the end of the group. */
  over(group: number, killAfterMs: number): void {
    this.#shell.stdin?.write(`${group}\n${Math.ceil(killAfterMs / ROUND_MS)}\n`);
  }

  /** The group has been asked to end: if this process dies now, there is no second grace. */
  hurry(): void {
    this.#shell.stdin?.write('0\n');
  }

  /** Nothing is left to watch. Resolves when that is on its way. */
  dismiss(): Promise<void> {
    return new Promise((resolve) => {
      const { stdin } = this.#shell;
      if (stdin === null || stdin.destroyed) return resolve();
      stdin.once('close', resolve);
      stdin.end('done\n', () => resolve());
    });
  }
}
