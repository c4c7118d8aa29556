/**
 * A process of another language that locks, and is told line by line what to do.
 *
 * @module
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
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
  readonly #lines: Interface;
  readonly #answers: string[] = [];
  #waiting: ((line: string) => void) | undefined;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    this.#lines.on('line', (line) => {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      if (waiting === undefined) this.#answers.push(line);
      else waiting(line);
    });
  }

  /** Compiles the Java program into a folder; once for all peers. */
  static compile(folder: string): void {
    const source = fileURLToPath(new URL('./CuratorPeer.java', import.meta.url));
    execFileSync('javac', ['-cp', CURATOR_JAR, '-d', folder, source], { stdio: 'inherit' });
  }

  static curator(classes: string, servers: string, path: string, sessionMs: number): Peer {
    const classPath = [classes, CURATOR_JAR, SLF4J_NOP_JAR].join(':');
    return Peer.#start('java', [...JVM_FLAGS, '-cp', classPath, 'CuratorPeer', servers, path, String(sessionMs)]);
  }

  static kazoo(servers: string, path: string, pattern: string): Peer {
    const program = fileURLToPath(new URL('./kazoo_peer.py', import.meta.url));
    return Peer.#start(PYTHON, [program, servers, path, pattern]);
  }

  static #start(command: string, args: readonly string[]): Peer {
    return new Peer(spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
  }

  /** Sends a line, and gives the answer to it. */
  ask(line: string): Promise<string> {
    this.#child.stdin?.write(`${line}\n`);
    const answer = this.#answers.shift();
    if (answer !== undefined) return Promise.resolve(answer);
    return new Promise((resolve, reject) => {
      this.#waiting = resolve;
      this.#child.once('exit', (code, signal) => reject(new Error(`The peer ended (${signal ?? code}).`)));
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
