/**
 * Looks whether one of those who wait here was handed its lock: one statement for all of them. Where the database
 * pushes such news this is the net under it; elsewhere it is how a waiter learns of its turn.
 *
 * @module
 */
import type { AcquireRequest, Granted, OwnerId } from '../core/backend.ts';
import { type CancelTimer, type Clock, Instant } from '../core/clock.ts';
import type { SqlRow } from './database.ts';

/** Between looks while nothing is pushed: from half as long on, with jitter. */
const ASK_MS = { least: 5, most: 200 };

/** While a line does not move, looks become rarer, and add so much at most to the time it has stood already. */
const SHARE_OF_STANDSTILL = 0.05;

/** So many in one look let the time between looks grow by one `ASK_MS.least`: its rows are work for the server. */
const CROWD = 50;

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
  /** The rows of `handedOver` in `SqlStatements`. `wanted` is JSON [{ n: name, o: owner }]. */
  look(wanted: string, deadline: Instant): Promise<readonly SqlRow[]>;
}

interface Listener {
  readonly name: string;
  readonly wake: (granted?: Granted) => void;
  /** How many are before it, at most. */
  ahead: number;
  movedAt: Instant;
}

export class Lookout {
  readonly #tasks: LookoutTasks;
  readonly #listeners: Map<OwnerId, Listener> = new Map();
  #cancelTimer: CancelTimer | undefined;
  #lookAt: Instant = Number.NEGATIVE_INFINITY as Instant;
  #looking = false;
  #lookAgain = false;
  #closed = false;

  constructor(tasks: LookoutTasks) {
    this.#tasks = tasks;
  }

  listen({ name, owner }: AcquireRequest, wake: (granted?: Granted) => void): () => void {
    const listener = { name, wake, ahead: 0, movedAt: this.#tasks.clock.now() };
    this.#listeners.set(owner, listener);
    this.#schedule();
    return () => {
      if (this.#listeners.get(owner) === listener) this.#listeners.delete(owner);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  /** Somebody here was handed a lock. */
  tell(owner: OwnerId, granted: Granted): void {
    this.#listeners.get(owner)?.wake(granted);
  }

  /** Looks now, or as soon as the look that is under way has ended: news may have been missed. */
  lookNow(): void {
    this.#stop();
    if (this.#looking) this.#lookAgain = true;
    else void this.#look();
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
    if (this.#closed || this.#looking || this.#listeners.size === 0) return;
    const { clock, random, isPushed } = this.#tasks;
    const limitMs = isPushed() ? PUSHED_MS : this.#untilLookMs();
    const at = Instant.plus(clock.now(), limitMs / 2 + (random() * limitMs) / 2);
    if (this.#cancelTimer !== undefined && this.#lookAt <= at) return;
    this.#stop();
    this.#lookAt = at;
    // The waiter itself keeps the process alive.
    this.#cancelTimer = clock.callAt(at, () => void this.#look(), { keepAlive: false });
  }

  /**
   * The first in a line looks often, and whoever has others before it as much more seldom: so many holders will have come
   * and gone meanwhile. Who looks into a line that stands still is as patient as it has stood.
   */
  #untilLookMs(): number {
    const now = this.#tasks.clock.now();
    let limitMs: number = ASK_MS.most;
    for (const { ahead, movedAt } of this.#listeners.values()) {
      limitMs = Math.min(limitMs, Math.max((ahead + 1) * ASK_MS.least, (now - movedAt) * SHARE_OF_STANDSTILL));
    }
    return Math.min(ASK_MS.most, limitMs + Math.floor(this.#listeners.size / CROWD) * ASK_MS.least);
  }

  async #look(): Promise<void> {
    this.#cancelTimer = undefined;
    if (this.#closed || this.#looking || this.#listeners.size === 0) return;
    this.#looking = true;
    this.#lookAgain = false;
    try {
      const wanted = [...this.#listeners].map(([owner, { name }]) => ({ n: name, o: owner }));
      for (let at = 0; at < wanted.length; at += MOST_TOGETHER) {
        const deadline = Instant.plus(this.#tasks.clock.now(), LOOK_MS);
        const rows = await this.#tasks.look(JSON.stringify(wanted.slice(at, at + MOST_TOGETHER)), deadline);
        for (const row of rows) this.#take(row);
      }
    } catch {
      // The heartbeats of those who wait meet the same trouble, and report it.
    } finally {
      this.#looking = false;
      if (this.#lookAgain) void this.#look();
      else this.#schedule();
    }
  }

  #take(row: SqlRow): void {
    const owner = String(row.owner);
    if (row.token !== null) {
      this.tell(owner, toGranted(row));
      return;
    }
    const listener = this.#listeners.get(owner);
    const ahead = Number(row.ahead);
    if (listener === undefined || listener.ahead === ahead) return;
    listener.ahead = ahead;
    listener.movedAt = this.#tasks.clock.now();
  }
}

function toGranted({ token, claim }: SqlRow): Granted {
  return { outcome: 'granted', fencingToken: BigInt(String(token)), ttlMs: Number(claim) };
}
