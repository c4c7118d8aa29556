/**
 * A process of another language with contenders for locks, which are told line by line what to do.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Debian's own Python, which finds Debian's modules. */
const PYTHON = '/usr/bin/python3';

export class Peer {
  readonly #child: ChildProcess;
  readonly #waiting: Map<string, { resolve(answer: string): void; reject(error: Error): void }> = new Map();
  #contenders = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const [contender = ''] = line.split(' ', 1);
      const waiting = this.#waiting.get(contender);
      this.#waiting.delete(contender);
      waiting?.resolve(line.slice(contender.length + 1));
    });
    child.on('exit', (code, signal) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`The peer ended (${signal ?? code}).`));
    });
  }

  static start(command: string, args: readonly string[]): Peer {
    return new Peer(spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
  }

  static python(program: URL, ...args: readonly string[]): Peer {
    return Peer.start(PYTHON, [fileURLToPath(program), ...args]);
  }

  /** One more who wants the lock at this path; `words` are further arguments of the lock. */
  async contender(path: string, ...words: readonly string[]): Promise<Contender> {
    const id = `c${++this.#contenders}`;
    await this.#ask(id, ['open', path, ...words]);
    return { ask: (...command) => this.#ask(id, command) };
  }

  #ask(id: string, words: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.stdin?.write(`${[id, ...words].join(' ')}\n`);
    });
  }

  /** `kill -9`; resolves when it is gone. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }
}

export interface Contender {
  /** Sends a command and gives the answer to it; one at a time. */
  ask(...command: readonly string[]): Promise<string>;
}
