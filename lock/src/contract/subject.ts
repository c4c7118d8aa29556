/**
 * What the contract suite needs to know of a backend, and what it hands to each case.
 *
 * @module
 */
import type { Backend } from '../core/backend.ts';
import { createLocks, type LeaseOf, type Locks, type LocksOptions } from '../core/lock.ts';
import { Relay } from './relay.ts';
import { WorkerProcess } from './worker-process.ts';

/** A backend under test, started: a server, a file or nothing. */
export interface BackendUnderTest {
  /** Makes a backend object of its own, as another process would: with its own connections. */
  create(): Promise<Backend> | Backend;
  /** For cases with real processes: a module whose default export makes a backend from `data`, which is sent as JSON. */
  readonly worker?: { readonly module: URL; readonly data: unknown };
  /** For cases that stop and restart the server. */
  readonly server?: {
    /** Kills it, and starts it again on the same address. Resolves when it answers. */
    restart(): Promise<void>;
    /** Stops it with SIGSTOP, so that connections stay open and nothing is answered; and lets it go on. */
    pause(): void;
    resume(): void;
  };
  /** For cases with a bad network: where the server listens, and a backend object that goes through a relay instead. */
  readonly network?: { readonly port: number; createThrough(port: number): Promise<Backend> | Backend };
  /** All that is stored and would stay: keys, rows, nodes. What is documented to stay for a while is left out. */
  residue?(): Promise<readonly string[]>;
  stop?(): Promise<void>;
}

/** The TTL of the cases: short, so that they are quick; long enough for a loaded machine. */
export const TTL_MS = 1_000;

/** What a case works with. All that it opens is closed after it. */
export class CaseContext {
  readonly subject: BackendUnderTest;
  readonly #cleanUps: (() => Promise<unknown> | unknown)[] = [];
  #names = 0;

  constructor(subject: BackendUnderTest) {
    this.subject = subject;
  }

  /** A lock name that no other case uses. */
  name(): string {
    return `contract:${process.pid}:${Date.now().toString(36)}:${Math.random().toString(36).slice(2)}:${++this.#names}`;
  }

  async backend(): Promise<Backend> {
    const backend = await this.subject.create();
    this.#cleanUps.push(() => backend.close());
    return backend;
  }

  /** The locks of one more process, as the backend sees it. */
  async locks(options: LocksOptions = {}): Promise<Locks<LeaseOf<Backend>>> {
    return this.#keep(createLocks(await this.subject.create(), { ttlMs: TTL_MS, ...options }));
  }

  /** Locks whose connection goes through a relay that the case makes faulty. */
  async relayedLocks(options: LocksOptions = {}): Promise<{ relay: Relay; locks: Locks<LeaseOf<Backend>> }> {
    const { network } = this.subject;
    if (network === undefined) throw new Error('This case needs `network`.');
    const relay = await Relay.start(network.port);
    this.#cleanUps.push(() => relay.close());
    const locks = createLocks(await network.createThrough(relay.port), { ttlMs: TTL_MS, ...options });
    return { relay, locks: this.#keep(locks) };
  }

  /** A real process with locks of this backend. */
  async process(options: LocksOptions = {}): Promise<WorkerProcess> {
    const { worker } = this.subject;
    if (worker === undefined) throw new Error('This case needs `worker`.');
    const child = await WorkerProcess.start(worker, { ttlMs: TTL_MS, ...options });
    this.#cleanUps.push(() => child.kill());
    return child;
  }

  onEnd(cleanUp: () => Promise<unknown> | unknown): void {
    this.#cleanUps.push(cleanUp);
  }

  /** Closes all, the last first; the first error counts after all are closed. */
  async end(): Promise<void> {
    const errors: unknown[] = [];
    for (const cleanUp of this.#cleanUps.reverse()) {
      try {
        await cleanUp();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  #keep<L extends Locks<LeaseOf<Backend>>>(locks: L): L {
    this.#cleanUps.push(() => locks.close());
    return locks;
  }
}

/** One thing that is true of every lock that can do what the case needs. */
export interface ContractCase {
  /** A fact, as a sentence. It is also what `doesNotApply` names. */
  readonly name: string;
  readonly timeoutMs?: number;
  run(t: CaseContext): Promise<void>;
}

/** Waits for a condition, looking every few milliseconds; the error says what did not come. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 10_000,
): Promise<void> {
  const giveUpAt = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > giveUpAt) throw new Error(`Not within ${limitMs} ms: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Milliseconds of CLOCK_MONOTONIC: on Linux one clock for all processes of the machine. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
