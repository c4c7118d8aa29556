/**
 * The parent's side of a program that does everything with locks at once, and must live whatever its server does: Node
 * ends it at the first rejection or error that nobody takes.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Relay } from '../contract/relay.ts';
import { sleep, until } from '../contract/subject.ts';

/** Longer than the TTL of its locks. */
const FAULT_MS = 1_300;

const PROGRAM: string = fileURLToPath(new URL('./survivor.mjs', import.meta.url));

/** What the program has seen until now. */
export interface Seen {
  /** How often it took a lock and gave it back. */
  readonly rounds: number;
  /** Whether it holds the lock that it keeps, and how often it has lost it. */
  readonly holds: boolean;
  readonly losses: number;
  /** How often each code came. */
  readonly errors: Readonly<Record<string, number>>;
}

export interface FaultyServer {
  pause(): void;
  resume(): void;
  kill(): Promise<void>;
  start(): Promise<void> | void;
}

export class Survivor {
  readonly #child: ChildProcess;
  #output = '';
  /** What stands on its standard error. */
  complaints = '';

  constructor(module: URL, data: unknown) {
    const args = ['--unhandled-rejections=strict', PROGRAM, module.href, JSON.stringify(data)];
    this.#child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdin?.on('error', () => undefined); // it has ended; its status says so
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#output += chunk.toString();
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.complaints += chunk.toString();
    });
  }

  get seen(): Seen {
    const line = this.#output.slice(0, this.#output.lastIndexOf('\n')).split('\n').at(-1);
    return line ? (JSON.parse(line) as Seen) : { rounds: 0, holds: false, losses: 0, errors: {} };
  }

  /** Resolves when it has taken a lock and given it back some more times, and holds the one that it keeps. */
  async works(): Promise<void> {
    const { rounds } = this.seen;
    const works = (): boolean => {
      if (this.#child.exitCode !== null) throw new Error(`The program has ended:\n${this.complaints}`);
      return this.seen.rounds >= rounds + 3 && this.seen.holds;
    };
    await until('a program that works', works, 30_000).catch((error: Error) => {
      throw new Error(`${error.message} It says ${JSON.stringify(this.seen)}, and had ${rounds} rounds.`);
    });
  }

  /** Lets everything happen to its server in turn, and waits each time until the program works again. */
  async liveThrough(relay: Relay, server: FaultyServer): Promise<void> {
    const faults: readonly (readonly [begin: () => Promise<void> | void, end: () => Promise<void> | void])[] = [
      [() => relay.cut(), () => relay.heal()],
      [
        () => relay.blackHole(),
        () => {
          relay.heal();
          relay.cut({ refuse: false });
        },
      ],
      [() => server.pause(), () => server.resume()],
      [() => server.kill(), () => server.start()],
    ];
    await this.works();
    for (const [begin, end] of faults) {
      await begin();
      await sleep(FAULT_MS);
      await end();
      await this.works();
    }
  }

  /** Lets it end; gives its exit status. */
  async end(): Promise<number | null> {
    const exited = once(this.#child, 'exit');
    this.#child.stdin?.end();
    if (this.#child.exitCode === null) await exited;
    return this.#child.exitCode;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
