/**
 * The lab's side of a holder process: starts it, tells it what to do, and is told what it did. Whatever the subject in
 * it does (hang, throw, print, end the process) ends in a rejection here, with a limit and the name of what was asked.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import { signalGroup } from './faults/process-group.ts';
import type { Commands, Message, Verb } from './holder-protocol.ts';
import { processFile } from './process-file.ts';
import type { Reaper } from './reaper.ts';
import { NotInTimeError, until, within } from './until.ts';

/** What of the output of a subject is kept, to show when it fails. */
const OUTPUT_LIMIT = 16_000;

/** How long a subject may take for what involves no waiting for the lock. */
const ANSWER_LIMIT_MS = 10_000;

export interface HolderOptions {
  readonly reaper: Reaper;
  readonly by: string;
  readonly historyFile: string;
  /** Takes secrets out of what the subject has printed. */
  readonly hideSecrets: (text: string) => string;
}

interface Pending {
  readonly resolve: (gives: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class Holder {
  readonly by: string;
  readonly process: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  readonly #hideSecrets: (text: string) => string;
  #lastId = 0;
  #steps = -1;
  #output = '';
  #ended: Error | undefined;

  constructor({ reaper, by, historyFile, hideSecrets }: HolderOptions) {
    this.by = by;
    this.#hideSecrets = hideSecrets;
    this.process = reaper.spawn(process.execPath, [processFile('holder'), historyFile, by], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.process.on('message', (message: Message) => this.#receive(message));
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-OUTPUT_LIMIT);
      });
    }
    this.process.once('error', (error) => this.#end(error));
    this.process.once('exit', (code, signal) => {
      this.#end(
        new Error(`The process of holder ${by} ended with ${signal ?? `exit code ${code}`}.${this.#lastWords()}`),
      );
    });
  }

  get pid(): number {
    if (this.process.pid === undefined) throw new Error(`Holder ${this.by} has no process.`);
    return this.process.pid;
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** How many read-modify-writes it has done. */
  get steps(): number {
    return Math.max(0, this.#steps);
  }

  /** What the subject printed, or its end. */
  get output(): string {
    return this.#hideSecrets(this.#output);
  }

  /** Resolves when the process takes requests. */
  async ready(): Promise<void> {
    await until(`Holder ${this.by} starting`, () => this.#throwIfEnded() || this.#steps >= 0, {
      limitMs: ANSWER_LIMIT_MS,
    });
  }

  /** `limitMs` is how long the answer may take beyond what the request itself allows. */
  async ask<V extends Verb>(
    verb: V,
    asks: Commands[V]['asks'],
    limitMs: number = ANSWER_LIMIT_MS,
  ): Promise<Commands[V]['gives']> {
    this.#throwIfEnded();
    const id = ++this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.process.send({ id, verb, asks }, (error) => error && reject(error));
    });
    try {
      return (await within(`An answer of ${this.by} to "${verb}"`, answer, limitMs)) as Commands[V]['gives'];
    } catch (error) {
      if (!(error instanceof NotInTimeError)) throw error;
      throw new Error(
        `${CALLS[verb] ?? `"${verb}"`} of the subject did not return within ${limitMs} ms.${this.#lastWords()}`,
      );
    } finally {
      this.#pending.delete(id);
    }
  }

  /** Resolves when it has done so many read-modify-writes in all. */
  async reachSteps(steps: number, limitMs: number): Promise<void> {
    await until(`Holder ${this.by} doing ${steps} writes`, () => this.#throwIfEnded() || this.#steps >= steps, {
      limitMs,
      everyMs: 5,
    });
  }

  kill(): void {
    this.signal('SIGKILL');
  }

  /** Sends a signal to it and to all that it has started: the lock may be in a process of its own. */
  signal(name: NodeJS.Signals): void {
    if (!this.hasEnded) signalGroup(this.pid, name);
  }

  #receive(message: Message): void {
    if ('steps' in message) {
      this.#steps = message.steps;
      return;
    }
    const pending = this.#pending.get(message.id);
    if ('error' in message) pending?.reject(new Error(message.error));
    else pending?.resolve(message.gives);
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#ended);
    this.#pending.clear();
  }

  #throwIfEnded(): false {
    if (this.#ended) throw this.#ended;
    return false;
  }

  #lastWords(): string {
    const lines = this.output.trim().split('\n').filter(Boolean).slice(-3);
    return lines.length === 0 ? '' : ` It had printed: ${lines.join(' | ')}`;
  }
}

/** The part of the subject that answers a request. */
const CALLS: Partial<Record<Verb, string>> = {
  describe: 'The file or command',
  open: 'open()',
  acquire: 'acquire()',
  contend: 'acquire()',
  enter: 'believes()',
  release: 'release()',
  gather: 'open()',
  served: 'acquire()',
  close: 'close()',
};
