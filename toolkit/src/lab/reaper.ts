/**
 * The check-up's side of its reaper: all processes of the lab are started here, so that none can stay behind.
 *
 * @module
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { processFile } from './process-file.ts';

/** By the pid of its first process, the signal that ends a group. SIGKILL comes after any other. */
export type ProcessGroups = Map<number, NodeJS.Signals>;

export class Reaper {
  readonly #process: ChildProcess;
  /** Process groups that live. */
  readonly #groups: ProcessGroups = new Map();
  /** For everything temporary; gone when the check-up is. */
  readonly folder: string;

  private constructor(process: ChildProcess, folder: string) {
    this.#process = process;
    this.folder = folder;
  }

  static async start(): Promise<Reaper> {
    const child = spawn(process.execPath, [processFile('reaper')], {
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // A reaper that has gone shows in `close`; a write to it must not bring the check-up down.
    child.stdin?.on('error', () => {});
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const folder = await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      child.once('error', reject);
      child.once('exit', () => reject(new Error('The process that cleans up after the check-up could not start.')));
    });
    return new Reaper(child, folder);
  }

  /**
   * Starts a process of ours in a group of its own, which ends with the check-up at the latest. It must end by itself
   * when its channel to us does, for the moment in which the reaper does not know it yet.
   */
  spawn(
    command: string,
    args: readonly string[],
    options: SpawnOptions,
    endsBy: NodeJS.Signals = 'SIGKILL',
  ): ChildProcess {
    const child = spawn(command, args, { ...options, detached: true });
    const { pid } = child;
    if (pid !== undefined) {
      this.#groups.set(pid, endsBy);
      this.#tell(`+${pid} ${endsBy}`);
      child.once('exit', () => {
        // What the process has started itself goes with it.
        killGroup(pid);
        this.#groups.delete(pid);
        this.#tell(`-${pid}`);
      });
    }
    return child;
  }

  /**
   * The same for a program that knows nothing of us. A shell waits for a word on its standard input, and becomes that
   * program only then; if we die before, the word never comes. `endsBy` is for a program that would leave something in
   * the kernel behind if it were killed outright.
   */
  spawnProgram(
    program: string,
    args: readonly string[],
    options: { readonly cwd: string; readonly output: number; readonly endsBy?: NodeJS.Signals },
  ): ChildProcess {
    const { cwd, output, endsBy } = options;
    const shell = ['-c', 'read -r word && exec "$@"', 'sh', program, ...args];
    const child = this.spawn('/bin/sh', shell, { cwd, stdio: ['pipe', output, output] }, endsBy);
    child.stdin?.on('error', () => {});
    // The reaper has been told by now: both are written at once, in this order.
    child.stdin?.end('go\n');
    return child;
  }

  /** Kills what is left and removes the folder. Safe to call twice. */
  async close(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const exited = once(this.#process, 'exit');
      this.#process.stdin?.end();
      await exited;
    }
    // Nothing is left to do here, unless somebody has killed the reaper.
    cleanUp(this.#groups, this.folder);
  }

  #tell(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }
}

/** How long a program may take that is asked to end. */
const GENTLE_LIMIT_MS = 3_000;

/** Whether there was such a process. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Kills a process and all of its group; nothing happens where none is left. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: the whole group has ended.
  }
}

/** Ends these process groups, then removes the folder. */
export function cleanUp(groups: ProcessGroups, folder: string): void {
  const gently = [...groups].filter(([, endsBy]) => endsBy !== 'SIGKILL');
  for (const [pid, endsBy] of gently) signal(pid, endsBy);
  const giveUpAt = performance.now() + GENTLE_LIMIT_MS;
  while (performance.now() < giveUpAt && gently.some(([pid]) => signal(pid, 0))) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10); // nothing else is left to be done here
  }
  for (const pid of groups.keys()) killGroup(pid);
  // Killed processes may still be finishing a write, which makes a folder reappear: that is what the retries are for.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}
