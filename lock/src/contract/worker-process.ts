/**
 * The parent's side of a process that holds locks: starts it, sends it commands, stops it, kills it.
 *
 * @module
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { LocksOptions } from '../core/lock.ts';

/** What a worker can be told; each command is answered once. */
export type WorkerCommand =
  | { readonly do: 'open'; readonly module: string; readonly data: unknown; readonly options: LocksOptions }
  | { readonly do: 'acquire'; readonly name: string; readonly waitMs?: number }
  | { readonly do: 'tryAcquire'; readonly name: string }
  | { readonly do: 'release'; readonly lease: number }
  | { readonly do: 'look'; readonly lease: number }
  | {
      readonly do: 'loop';
      readonly name: string;
      readonly rounds: number;
      readonly callers: number;
      readonly waitMs: number;
      /** A file with a number, which each holder reads, and writes one more; and one that takes a line for each hold. */
      readonly counterFile: string;
      readonly logFile: string;
    };

export interface WorkerLease {
  readonly lease: number;
  readonly token: string | undefined;
  /** When `acquire` resolved, on CLOCK_MONOTONIC. */
  readonly atMs: number;
}

/** What a worker's lease looks like from inside, at the moment of asking. */
export interface WorkerLook {
  readonly state: string;
  readonly remainingMs: number;
  readonly lostAtMs: number | undefined;
  readonly lostReason: string | undefined;
}

interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: { readonly message: string; readonly code: string | undefined };
}

export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #pending: Map<number, { resolve(value: unknown): void; reject(error: Error): void }> = new Map();
  #commands = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (reply: Reply) => this.#take(reply));
    child.on('exit', (code, signal) => {
      const error = new Error(`The worker ended (${signal ?? code}) before it answered.`);
      for (const { reject } of this.#pending.values()) reject(error);
      this.#pending.clear();
    });
  }

  static async start(worker: { module: URL; data: unknown }, options: LocksOptions): Promise<WorkerProcess> {
    const child = fork(workerFile(), [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const started = new WorkerProcess(child);
    await started.#send({ do: 'open', module: worker.module.href, data: worker.data, options });
    return started;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  acquire(name: string, options: { waitMs?: number } = {}): Promise<WorkerLease> {
    return this.#send({ do: 'acquire', name, ...options }) as Promise<WorkerLease>;
  }

  tryAcquire(name: string): Promise<WorkerLease | null> {
    return this.#send({ do: 'tryAcquire', name }) as Promise<WorkerLease | null>;
  }

  async release({ lease }: WorkerLease): Promise<void> {
    await this.#send({ do: 'release', lease });
  }

  look({ lease }: WorkerLease): Promise<WorkerLook> {
    return this.#send({ do: 'look', lease }) as Promise<WorkerLook>;
  }

  async loop(command: Omit<Extract<WorkerCommand, { do: 'loop' }>, 'do'>): Promise<void> {
    await this.#send({ do: 'loop', ...command });
  }

  /** Returns when it is sent, which is a moment before the process has stopped. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(signal);
  }

  /** `kill -9`; resolves when the process is gone. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }

  #send(command: WorkerCommand): Promise<unknown> {
    const id = ++this.#commands;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#child.send({ id, command }, (error) => {
        if (error !== null) reject(error);
      });
    });
  }

  #take({ id, value, error }: Reply): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) pending?.resolve(value);
    else pending?.reject(Object.assign(new Error(error.message), { code: error.code }));
  }
}

/** The built program beside this module; when the suite itself runs from its sources, the one of the last build. */
function workerFile(): string {
  const found = ['./processes/worker.mjs', '../../dist/contract/processes/worker.mjs']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
  if (found === undefined)
    throw new Error('The worker program of the contract suite is not built: run `npm run build`.');
  return found;
}
