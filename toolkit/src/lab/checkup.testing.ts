/**
 * Runs the real program in a process of its own, with a temporary folder and a mark of its own, so that whatever it
 * leaves behind can be found.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from './until.ts';

export const repository: string = fileURLToPath(new URL('../../../', import.meta.url));

const program = path.join(repository, 'toolkit/bin/holdfast.js');

/** Ten times what a run takes on an idle machine. */
export const RUN_LIMIT_MS = 150_000;

export interface Ended {
  /** Null where a signal that nobody handled has ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class CheckupRun {
  readonly #mark = randomUUID();
  readonly #folder: string;
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  #stderr = '';

  constructor(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.#folder = mkdtempSync(path.join(tmpdir(), 'holdfast-test-'));
    chmodSync(this.#folder, 0o711); // a server that does not run as root must get to its files
    mkdirSync(this.temporary);
    this.process = spawn(process.execPath, [program, 'checkup', ...args], {
      cwd: this.#folder,
      env: { ...process.env, NO_COLOR: '1', TMPDIR: this.temporary, HOLDFAST_TEST_MARK: this.#mark, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    this.ended = new Promise((resolve) => {
      this.process.once('close', (code) => resolve({ code, stdout, stderr: this.#stderr }));
    });
  }

  /** Its temporary folder. */
  get temporary(): string {
    return path.join(this.#folder, 'tmp');
  }

  /** Its current folder. */
  get folder(): string {
    return this.#folder;
  }

  /** Processes of this run that live, itself included. */
  survivors(): string[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => this.#isOurs(pid))
      .map((pid) => `${pid} ${readQuietly(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`);
  }

  /** Resolves when no process and no temporary file of it is left. */
  async leavesNothing(): Promise<void> {
    const isClean = (): boolean => this.survivors().length === 0 && readdirSync(this.temporary).length === 0;
    try {
      await until('The check-up being gone without a trace', isClean, { limitMs: 20_000, everyMs: 50 });
    } catch (error) {
      const left = [...this.survivors(), ...readdirSync(this.temporary)];
      throw new Error(`Left behind: ${left.join('; ')}`, { cause: error });
    }
  }

  /** Resolves when some process of it runs whose command line has this in it. */
  async starts(part: string): Promise<void> {
    const hasStarted = (): boolean => this.survivors().some((line) => line.includes(part));
    await until(`A process with "${part}" starting`, hasStarted, { limitMs: RUN_LIMIT_MS, everyMs: 20 });
  }

  dispose(): void {
    this.process.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  /** By its environment, or, since Redis writes over that, by where it runs. Zombies have neither. */
  #isOurs(pid: string): boolean {
    if (readQuietly(`/proc/${pid}/environ`).includes(this.#mark)) return true;
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(this.temporary);
    } catch {
      return false;
    }
  }
}

function readQuietly(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
