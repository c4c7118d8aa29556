import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Reaper } from './reaper.ts';
import { startProgram } from './servers/program.ts';

interface ToolOptions {
  readonly reaper: Reaper;
  readonly folder: string;
  readonly name: string;
  readonly file: string;
}

/** A program of the system that a fault makes use of. Its output goes to a log beside those of the servers. */
export class Tool {
  readonly #options: ToolOptions;
  #process: ChildProcess | undefined;

  constructor(options: ToolOptions) {
    this.#options = options;
  }

  start(args: readonly string[]): void {
    const { reaper, ...program } = this.#options;
    this.#process = startProgram(reaper, { ...program, args });
  }

  process(): ChildProcess {
    if (!this.#process) throw new Error(`${this.#options.name} was not started.`);
    return this.#process;
  }

  /** What it has said so far. */
  output(): string {
    const { folder, name } = this.#options;
    return readFileSync(path.join(folder, `${name}.log`), 'utf8').trim();
  }

  stop(): void {
    this.#process?.kill('SIGKILL');
  }
}
