/**
 * The check-up's side of its reaper: all processes of the lab are started here, so that none can stay behind.
 *
 * @module
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { processFile } from './process-file.ts';

export class Reaper {
  readonly #process: ChildProcess;
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

  /** Starts a process in a group of its own, which ends with the check-up at the latest. */
  spawn(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    const child = spawn(command, args, { ...options, detached: true });
    const { pid } = child;
    if (pid !== undefined) {
      this.#tell(`+${pid}`);
      child.once('exit', () => {
        // What the process has started itself goes with it.
        killGroup(pid);
        this.#tell(`-${pid}`);
      });
    }
    return child;
  }

  /** Kills what is left and removes the folder. Safe to call twice. */
  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#process.stdin?.end();
    await exited;
  }

  #tell(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }
}

/** Kills a process and all of its group; nothing happens where none is left. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: the whole group has ended.
  }
}
