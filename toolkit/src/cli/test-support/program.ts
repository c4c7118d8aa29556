/**
 * The built program as real processes, and what they leave behind.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../../bin/holdfast.js', import.meta.url));

/** For everything that is waited for: ten times what it takes on a busy machine, and more. */
const LIMIT_MS = 60_000;

/** For a test that starts a dozen processes, on a machine that is busy with other tests. */
export const SLOW: { readonly timeout: number } = { timeout: 4 * LIMIT_MS };

/** A place of its own for a test: state of the embedded backend, files of the commands, and all processes in it. */
export class Stage {
  readonly folder: string = mkdtempSync(path.join(tmpdir(), 'holdfast-cli-'));
  /** In the environment of every process of this stage, its children's children included. */
  readonly #mark: string = randomUUID();
  readonly #programs: Program[] = [];

  file(name: string): string {
    return path.join(this.folder, name);
  }

  get stateFolder(): string {
    return this.file('state');
  }

  /** Starts `holdfast` with these arguments. */
  start(args: readonly string[], options: { env?: NodeJS.ProcessEnv; stdin?: 'pipe' | 'ignore' } = {}): Program {
    const { HOLDFAST_URL: _, ...inherited } = process.env;
    const child = spawn(process.execPath, [BIN, ...args], {
      env: { ...inherited, NO_COLOR: '', XDG_STATE_HOME: this.stateFolder, HOLDFAST_STAGE: this.#mark, ...options.env },
      stdio: [options.stdin ?? 'ignore', 'pipe', 'pipe'],
    });
    const program = new Program(child);
    this.#programs.push(program);
    return program;
  }

  /** Waits until so many wait for a lock, as `holdfast who` sees it. */
  async inLine(name: string, count: number, ...options: string[]): Promise<void> {
    for (let look = 0; look < 50; look++) {
      const { stdout, stderr } = await this.start(['who', name, '--json', ...options]).outcome;
      const report = JSON.parse(stdout) as { waiters?: readonly unknown[] };
      if (report.waiters === undefined) throw new Error(stderr);
      if (report.waiters.length === count) return;
    }
    throw new Error(`There were never ${count} in line for ${name}.`);
  }

  /** The processes of this stage that still run. */
  processes(): number[] {
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map(Number)
      .filter((pid) => readProc(pid, 'environ').split('\0').includes(`HOLDFAST_STAGE=${this.#mark}`));
  }

  /** Fails if a process stays. */
  async isDeserted(): Promise<void> {
    await until(
      () => this.processes().length === 0,
      () => `processes are left behind: ${this.processes().map(commandLine).join(' | ')}`,
    );
  }

  /** Ends what a test has left, whether it has passed or not. */
  async strike(): Promise<void> {
    for (let round = 0; round < 100 && this.processes().length > 0; round++) {
      for (const pid of this.processes()) kill(pid, 'SIGKILL');
      await sleep(10);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running `holdfast`. Of `holdfast run` it is the front. */
export class Program {
  readonly child: ChildProcess;
  readonly outcome: Promise<Outcome>;
  stdout = '';
  stderr = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.on('data', (chunk) => {
      this.stdout += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.outcome = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        // Others may still have the pipes open: what the command left behind. What was written is there by now.
        setImmediate(() => resolve({ code, signal, stdout: this.stdout, stderr: this.stderr }));
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? Number.NaN;
  }

  /** The guard process, and the command and the last watch under it, when they run. */
  async family(): Promise<{ guard: number; command: number; watch: number }> {
    return until(
      () => {
        const [guard] = childrenOf(this.pid);
        if (guard === undefined) return undefined;
        const children = childrenOf(guard);
        const watch = children.find((pid) => commandLine(pid).includes('holdfast-last-watch'));
        const command = children.find((pid) => pid !== watch && !commandLine(pid).includes('holdfast: guard'));
        return watch === undefined || command === undefined ? undefined : { guard, command, watch };
      },
      () => `the command did not start. ${this.stderr}`,
    );
  }
}

/** Looks until there is something. */
export async function until<Found>(look: () => Found, complaint: () => string): Promise<NonNullable<Found>> {
  const giveUpAt = performance.now() + LIMIT_MS;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== null && found !== false) return found as NonNullable<Found>;
    if (performance.now() > giveUpAt) throw new Error(`Within ${LIMIT_MS} ms: ${complaint()}`);
    await sleep(5);
  }
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended
  }
}

/** The state of a process as `ps` shows it, T for a stopped one; undefined if it has ended. */
export function stateOf(pid: number): string | undefined {
  const stat = readProc(pid, 'stat');
  return stat === '' ? undefined : stat.slice(stat.lastIndexOf(')') + 2)[0];
}

export async function stop(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await until(
    () => stateOf(pid) === 'T',
    () => `process ${pid} did not stop`,
  );
}

export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      const stat = readProc(pid, 'stat');
      const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(ppid) === parent && state !== 'Z' && state !== 'X';
    });
}

export function commandLine(pid: number): string {
  return readProc(pid, 'cmdline').replaceAll('\0', ' ').trim();
}

export function readProc(pid: number, file: 'environ' | 'stat' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
