/**
 * Looks whether one of those who wait here was handed its lock: one statement for all of them. Where the database
 * pushes such news this is the net under it; elsewhere it is how a waiter learns of its turn.
 *
 * @module
 */
import type { AcquireRequest, Granted, OwnerId } from '../core/backend.ts';
import { type CancelTimer, type Clock, Instant } from '../core/clock.ts';
import type { SqlRow } from './database.ts';

/** Between looks while nothing is pushed: quick after something has happened, then slower; with jitter. */
const ASK_MS = { first: 20, most: 200 };

/** Between looks while news is pushed, in case a message was lost. */
const PUSHED_MS = 1_000;

/** How long one look may take. */
const LOOK_MS = 2_000;

/** More names at once would be a statement that holds up the others on its connection. */
const MOST_TOGETHER = 1_000;

export interface LookoutTasks {
  readonly clock: Clock;
  readonly random: () => number;
  /** Whether news is being pushed. */
  isPushed(): boolean;
  /** The rows { owner, token, claim } of those who were handed their lock. `wanted` is JSON [{ n: name, o: owner }]. */
  look(wanted: string, deadline: Instant): Promise<readonly SqlRow[]>;
}

interface Listener {
  readonly name: string;
  readonly wake: (granted?: Granted) => void;
}

export class Lookout {
  readonly #tasks: LookoutTasks;
  readonly #listeners: Map<OwnerId, Listener> = new Map();
  #limitMs: number = ASK_MS.first;
  #cancelTimer: CancelTimer | undefined;
  #looking = false;
  #closed = false;

  constructor(tasks: LookoutTasks) {
    this.#tasks = tasks;
  }

  listen({ name, owner }: AcquireRequest, wake: (granted?: Granted) => void): () => void {
    const listener = { name, wake };
    this.#listeners.set(owner, listener);
    this.#limitMs = ASK_MS.first;
    this.#schedule();
    return () => {
      if (this.#listeners.get(owner) === listener) this.#listeners.delete(owner);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  /** Somebody here was handed a lock. */
  tell(owner: OwnerId, granted: Granted): void {
    this.#limitMs = ASK_MS.first;
    this.#listeners.get(owner)?.wake(granted);
  }

  /** Looks now: news may have been missed. */
  lookNow(): void {
    this.#stop();
    void this.#look();
  }

  close(): void {
    this.#closed = true;
    this.#listeners.clear();
    this.#stop();
  }

  #stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #schedule(): void {
    if (this.#closed || this.#looking || this.#cancelTimer !== undefined || this.#listeners.size === 0) return;
    const { clock, random, isPushed } = this.#tasks;
    const limitMs = isPushed() ? PUSHED_MS : this.#limitMs;
    const at = Instant.plus(clock.now(), limitMs / 2 + (random() * limitMs) / 2);
    // The waiter itself keeps the process alive.
    this.#cancelTimer = clock.callAt(at, () => void this.#look(), { keepAlive: false });
  }

  async #look(): Promise<void> {
    this.#cancelTimer = undefined;
    if (this.#closed || this.#looking || this.#listeners.size === 0) return;
    this.#looking = true;
    this.#limitMs = Math.min(ASK_MS.most, this.#limitMs * 1.5);
    try {
      const wanted = [...this.#listeners].map(([owner, { name }]) => ({ n: name, o: owner }));
      for (let at = 0; at < wanted.length; at += MOST_TOGETHER) {
        const deadline = Instant.plus(this.#tasks.clock.now(), LOOK_MS);
        const rows = await this.#tasks.look(JSON.stringify(wanted.slice(at, at + MOST_TOGETHER)), deadline);
        for (const row of rows) this.tell(String(row.owner), toGranted(row));
      }
    } catch {
      // The heartbeats of those who wait meet the same trouble, and report it.
    } finally {
      this.#looking = false;
      this.#schedule();
    }
  }
}

function toGranted({ token, claim }: SqlRow): Granted {
  return { outcome: 'granted', fencingToken: BigInt(String(token)), ttlMs: Number(claim) };
}
