/**
 * A process of another language with contenders for locks, which are told line by line what to do.
 *
 * @module
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { JVM_FLAGS } from './servers.ts';

const CURATOR_JAR = '/usr/share/java/curator-recipes.jar';
const SLF4J_NOP_JAR = '/usr/share/java/slf4j-nop.jar';
const KAZOO = '/usr/lib/python3/dist-packages/kazoo/client.py';

/** Debian's own Python, which finds Debian's modules. */
const PYTHON = '/usr/bin/python3';

export function whyNoCurator(): string | undefined {
  if (!existsSync(CURATOR_JAR)) return `${CURATOR_JAR} is missing: npm run setup`;
  try {
    execFileSync('javac', ['-version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'javac is missing: npm run setup';
  }
}

export function whyNoKazoo(): string | undefined {
  return existsSync(KAZOO) ? undefined : `${KAZOO} is missing: npm run setup`;
}

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

  /** Compiles the Java program into a folder; once for all peers. */
  static async compile(folder: string): Promise<void> {
    const source = fileURLToPath(new URL('./CuratorPeer.java', import.meta.url));
    const flags = JVM_FLAGS.map((flag) => `-J${flag}`);
    await promisify(execFile)('javac', [...flags, '-proc:none', '-cp', CURATOR_JAR, '-d', folder, source]);
  }

  static curator(classes: string, servers: string, sessionMs: number): Peer {
    const classPath = [classes, CURATOR_JAR, SLF4J_NOP_JAR].join(':');
    return Peer.#start('java', [...JVM_FLAGS, '-cp', classPath, 'CuratorPeer', servers, String(sessionMs)]);
  }

  static kazoo(servers: string): Peer {
    return Peer.#start(PYTHON, [fileURLToPath(new URL('./kazoo_peer.py', import.meta.url)), servers]);
  }

  static #start(command: string, args: readonly string[]): Peer {
    return new Peer(spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
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
