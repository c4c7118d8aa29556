/**
 * What a lock server keeps, in plain data: the reference that the other backends do in Lua and SQL. Every function is
 * one atomic step of the server; `now` is the server's clock.
 *
 * @module
 */
import type { AcquireRequest, Gone, Granted, Hold, OwnerReport, Waiting } from '../../core/backend.ts';
import type { Instant } from '../../core/clock.ts';
import type { LossReason } from '../../core/errors.ts';

/** A waiter that has been silent for this many heartbeats is dead. */
const SILENT_HEARTBEATS = 3;

/** A hand-over may meet a waiter that has just died: it is good for this many heartbeats until it is renewed. */
const CLAIM_HEARTBEATS = 2;

/** For how long a withdrawn owner id is refused: longer than any request can still be under way. */
const TOMBSTONE_MS = 600_000;

export interface Holder {
  readonly owner: string;
  readonly fencingToken: bigint;
  readonly report: OwnerReport;
  endsAt: Instant;
}

export interface Waiter {
  readonly request: AcquireRequest;
  readonly report: OwnerReport;
  ttlMs: number;
  silentUntil: Instant;
}

/** What happened to others in a step, and has to be told to them. */
export type Notice =
  | { readonly to: string; readonly granted: Granted }
  | { readonly to: string; readonly lost: LossReason };

export class LockRow {
  holder: Holder | undefined;
  lastToken = 0n;
  /** In order of arrival. */
  readonly waiters: Map<string, Waiter> = new Map();
  readonly #tombstones: Map<string, Instant> = new Map();
  readonly #notify: (notice: Notice) => void;

  constructor(notify: (notice: Notice) => void) {
    this.#notify = notify;
  }

  /** Whether anything is left that a new request would have to know. */
  isIdle(now: Instant): boolean {
    this.#forget(now);
    return this.holder === undefined && this.waiters.size === 0 && this.#tombstones.size === 0;
  }

  tryAcquire(
    request: AcquireRequest,
    report: OwnerReport,
    now: Instant,
  ): Granted | { outcome: 'busy'; retryInMs: number } {
    this.#forget(now);
    if (this.holder?.owner === request.owner) return this.#extend(this.holder, request.ttlMs, now);
    this.#giveToFirst(now);
    if (this.holder !== undefined) return { outcome: 'busy', retryInMs: this.holder.endsAt - now };
    if (this.#tombstones.has(request.owner)) return { outcome: 'busy', retryInMs: request.ttlMs };
    return this.#grant(request.owner, request.ttlMs, report, now);
  }

  queue(step: 'enter' | 'stay', request: AcquireRequest, report: OwnerReport, now: Instant): Granted | Waiting | Gone {
    this.#forget(now);
    if (this.#tombstones.has(request.owner)) return { outcome: 'gone' };
    if (this.holder?.owner === request.owner) return this.#extend(this.holder, request.ttlMs, now);
    const silentUntil = (now + SILENT_HEARTBEATS * request.heartbeatMs) as Instant;
    const waiter = this.waiters.get(request.owner);
    if (waiter !== undefined) {
      waiter.silentUntil = silentUntil;
      waiter.ttlMs = request.ttlMs;
    } else if (step === 'stay') {
      return { outcome: 'gone' };
    } else if (this.holder === undefined && this.waiters.size === 0) {
      return this.#grant(request.owner, request.ttlMs, report, now);
    } else {
      this.waiters.set(request.owner, { request, report, ttlMs: request.ttlMs, silentUntil });
    }
    this.#giveToFirst(now, request.owner);
    const holder = this.holder as Holder | undefined; // the step above may have given the lock to this very owner
    if (holder?.owner === request.owner) return this.#extend(holder, request.ttlMs, now);
    const isFirst = this.waiters.keys().next().value === request.owner;
    const waiting: Waiting = { outcome: 'waiting', lastToken: this.lastToken };
    return isFirst && holder !== undefined ? { ...waiting, retryInMs: holder.endsAt - now } : waiting;
  }

  renew(hold: Hold, now: Instant): boolean {
    this.#forget(now);
    if (this.holder?.owner !== hold.owner) return false;
    this.#extend(this.holder, hold.ttlMs, now);
    return true;
  }

  release(owner: string, now: Instant): boolean {
    this.#forget(now);
    if (this.holder?.owner !== owner) return false;
    this.holder = undefined;
    this.#giveToFirst(now);
    return true;
  }

  withdraw(owner: string, mayArriveLate: boolean, now: Instant): void {
    this.waiters.delete(owner);
    this.release(owner, now);
    if (mayArriveLate) this.#tombstones.set(owner, (now + TOMBSTONE_MS) as Instant);
  }

  transfer(
    from: string,
    next: AcquireRequest,
    report: OwnerReport,
    now: Instant,
  ): Granted | Waiting | Gone | { outcome: 'not-held' } {
    this.#forget(now);
    const known = this.holder?.owner === next.owner || this.waiters.has(next.owner);
    if (this.holder?.owner !== from && !known) return { outcome: 'not-held' };
    if (this.holder?.owner === from) this.holder = undefined;
    if (this.waiters.size > 0) this.#giveToFirst(now);
    return this.queue('enter', next, report, now);
  }

  /** Takes the lock from its holder, and makes sure that the next token is above `raiseTo`. */
  breakLock(now: Instant, reason: LossReason = 'broken'): { broken: Holder | undefined; raiseTo: bigint } {
    this.#forget(now);
    const broken = this.holder;
    const raiseTo = ++this.lastToken;
    this.holder = undefined;
    if (broken !== undefined) this.#notify({ to: broken.owner, lost: reason });
    this.#giveToFirst(now);
    return { broken, raiseTo };
  }

  /** What time has ended: the hold, silent waiters, old tombstones. */
  #forget(now: Instant): void {
    if (this.holder !== undefined && this.holder.endsAt <= now) this.holder = undefined;
    for (const [owner, waiter] of this.waiters) if (waiter.silentUntil <= now) this.waiters.delete(owner);
    for (const [owner, until] of this.#tombstones) if (until <= now) this.#tombstones.delete(owner);
  }

  /** A free lock goes to the first who waits, whoever asks. It is told, unless it is the one who asks. */
  #giveToFirst(now: Instant, asking?: string): void {
    const [first] = this.waiters.values();
    if (this.holder !== undefined || first === undefined) return;
    const { owner, heartbeatMs } = first.request;
    this.waiters.delete(owner);
    const claimMs = Math.min(first.ttlMs, CLAIM_HEARTBEATS * heartbeatMs);
    const granted = this.#grant(owner, claimMs, first.report, now);
    if (owner !== asking) this.#notify({ to: owner, granted });
  }

  #grant(owner: string, ttlMs: number, report: OwnerReport, now: Instant): Granted {
    this.lastToken++;
    this.holder = { owner, fencingToken: this.lastToken, report, endsAt: (now + ttlMs) as Instant };
    return { outcome: 'granted', ttlMs, fencingToken: this.lastToken };
  }

  #extend(holder: Holder, ttlMs: number, now: Instant): Granted {
    holder.endsAt = (now + ttlMs) as Instant;
    return { outcome: 'granted', ttlMs, fencingToken: holder.fencingToken };
  }
}

export class MemoryStore {
  readonly rows: Map<string, LockRow> = new Map();
  readonly #listeners: Set<(name: string, notice: Notice) => void> = new Set();

  row(name: string): LockRow {
    let row = this.rows.get(name);
    if (row === undefined) {
      row = new LockRow((notice) => {
        for (const listener of this.#listeners) listener(name, notice);
      });
      this.rows.set(name, row);
    }
    return row;
  }

  onNotice(listener: (name: string, notice: Notice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
