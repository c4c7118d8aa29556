/**
 * Other processes for the tests: each has one backend object and obeys.
 *
 * @module
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AcquireRequest } from '../../../core/backend.ts';

const PROGRAM = fileURLToPath(new URL('process.mjs', import.meta.url));

export interface ProcessOptions {
  readonly directory: string;
  readonly bootId?: string;
  readonly liveness?: 'at-once' | 'after-ttl';
  /** `libsql` where node:sqlite is there too. */
  readonly engine?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly execPath?: string;
  readonly execArgv?: string[];
  readonly uid?: number;
}

export interface Acquired {
  readonly token: bigint;
  /** On the machine's monotonic clock. */
  readonly atMs: number;
}

/** A process of its own with a backend object. */
export class OtherProcess {
  readonly child: ChildProcess;
  readonly losses: { readonly owner: string; readonly reason: string }[] = [];
  readonly tokens: { readonly name: string; readonly token: bigint }[] = [];
  readonly #pending: Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }> = new Map();
  #sent = 0;

  private constructor({ env, execPath, execArgv = [], uid, ...options }: ProcessOptions) {
    this.child = fork(PROGRAM, [JSON.stringify(options)], {
      serialization: 'advanced',
      env: { ...process.env, ...env },
      execArgv,
      ...(execPath === undefined ? {} : { execPath }),
      ...(uid === undefined ? {} : { uid }),
    });
    this.child.on('message', (message: unknown[]) => this.#take(message));
    this.child.on('exit', () => {
      for (const { reject } of this.#pending.values()) reject(new Error('the process has ended'));
      this.#pending.clear();
    });
  }

  static async start(options: ProcessOptions): Promise<OtherProcess> {
    const other = new OtherProcess(options);
    const [message] = await Promise.race([
      once(other.child, 'message'),
      once(other.child, 'exit').then(([status]) => Promise.reject(new Error(`it ended with ${status}`))),
    ]);
    if ((message as unknown[])[0] !== 'ready') throw new Error(`unexpected ${message}`);
    return other;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Calls a method of the backend there. */
  call<Answer>(method: string, ...args: unknown[]): Promise<Answer> {
    return this.send('call', method, ...args);
  }

  /** Waits in the queue there until it has the lock. */
  acquire(request: AcquireRequest): Promise<Acquired> {
    return this.send('acquire', request);
  }

  send<Answer>(command: string, ...args: unknown[]): Promise<Answer> {
    const number = ++this.#sent;
    return new Promise((resolve, reject) => {
      this.#pending.set(number, { resolve: resolve as (value: unknown) => void, reject });
      this.child.send([number, command, ...args]);
    });
  }

  /** Kills it without warning, and resolves with the instant of the kill when it is gone. */
  async kill(): Promise<number> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return Number.NaN;
    const gone = once(this.child, 'exit');
    const atMs = Number(process.hrtime.bigint()) / 1e6;
    this.child.kill('SIGKILL');
    await gone;
    return atMs;
  }

  #take([kind, ...rest]: unknown[]): void {
    if (kind === 'loss') this.losses.push({ owner: String(rest[0]), reason: String(rest[1]) });
    if (kind === 'token') this.tokens.push({ name: String(rest[0]), token: BigInt(String(rest[1])) });
    if (typeof kind !== 'number') return;
    const pending = this.#pending.get(kind);
    this.#pending.delete(kind);
    const [error, value] = rest as [{ message: string; code?: string } | null, unknown];
    if (error === null) pending?.resolve(value);
    else pending?.reject(Object.assign(new Error(error.message), error));
  }
}
