/**
 * The API: `createLocks` gives one `Locks` object per process and backend, that gives `Lock`s by name, that give
 * leases.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import { type Backend, type Fences, type OwnerId, renews, reportsLoss } from './backend.ts';
import { BackendCalls } from './call.ts';
import { type Clock, Instant, systemClock, systemRandom } from './clock.ts';
import { LockBusyError, LockError, type LossReason, quote } from './errors.ts';
import { Janitor } from './janitor.ts';
import type { FencedLease, HeldLease, Lease } from './lease.ts';
import type { LocalWaiterOptions } from './local-queue.ts';
import {
  checkBoolean,
  checkKeys,
  checkMs,
  checkName,
  checkSignal,
  checkText,
  LONGEST_MS,
  SHORTEST_TTL_MS,
} from './options.ts';
import { currentFrame, enterNested, Frame, NestedLease, openFrame, runInFrame } from './reentry.ts';
import { LocalLock, type Shared } from './waiting.ts';
import { Watchdog } from './watchdog.ts';
import { Work } from './work.ts';

/** How a lock is held and waited for. All times in milliseconds. */
export interface LockOptions {
  /** For how long the backend gives the lock without a renewal; from 50. Default 30,000. */
  readonly ttlMs?: number;
  /** How long `acquire` and `run` wait at most; 0 does not wait. Default 10,000. */
  readonly waitMs?: number;
  /** After this time the lease is lost, however long its body runs on: a bound for hung bodies. Default: none. */
  readonly maxHoldMs?: number;
  /** Whether the watchdog renews the lease. Default true. */
  readonly renew?: boolean;
  /** What the lock is for, as `holdfast who` shows it to people on call; at most 512 bytes. */
  readonly purpose?: string;
}

export interface LocksOptions extends LockOptions {
  /** How long one call to the backend may take before its outcome counts as unknown. Default: a sixth of the TTL, from 250 to 5,000. */
  readonly callMs?: number;
  /** For tests: a clock that is moved by hand. */
  readonly clock?: Clock;
  /** For tests: a source of numbers from 0 to 1, for jitter. */
  readonly random?: () => number;
}

/** What one acquisition may say differently. */
export interface AcquireOptions {
  readonly waitMs?: number;
  readonly purpose?: string;
  /** Ends the wait: `acquire` rejects with the code `ABORTED`. It does not end a lease. */
  readonly signal?: AbortSignal;
}

export interface Lock<L extends Lease = Lease> {
  readonly name: string;
  /**
   * Waits in line until it has the lock, then runs the body, then releases. Resolves with what the body returns.
   *
   * Rejects with the body's own error, whatever happens to the lock (a problem with the lock is then on that error as
   * `lockError`); with the errors of `acquire`; and with `LeaseLostError` (code `LOST`) if the body ended well but the
   * lease was lost meanwhile: the work may have been done then, so look before you do it again. A release that the
   * backend did not confirm is no error: the result is good, and the TTL frees the lock.
   *
   * Inside the body of a `run` of the same lock it enters at once, with the same lease.
   */
  run<Result>(body: (lease: L) => Result | PromiseLike<Result>, options?: AcquireOptions): Promise<Result>;
  /**
   * Waits in line until it has the lock. Rejects with `LockBusyError` when `waitMs` is over, with the codes `ABORTED`
   * and `CLOSED`, with `BackendUnavailableError` if the backend was away all that time, and at once with
   * `SELF_DEADLOCK` inside the body of a `run` of the same lock.
   */
  acquire(options?: AcquireOptions): Promise<L>;
  /**
   * Tries once and does not wait. Gives null if another owner holds the lock or others wait for it. Rejects with
   * `OutcomeUnknownError` if no reply came; the lock is then released in the background, in case it was granted.
   */
  tryAcquire(options?: Pick<AcquireOptions, 'purpose' | 'signal'>): Promise<L | null>;
}

/** The locks of one backend, for this process: owns the watchdog, the local queues, and what is held. */
export interface Locks<L extends Lease = Lease> extends AsyncDisposable {
  /** A lock by its name; no I/O. The same name is the same lock. Options here stand before those of `createLocks`. */
  lock(name: string, options?: LockOptions): Lock<L>;
  /**
   * Ends all waits with the code `CLOSED`, aborts the signals of the leases that are held, releases them, and closes
   * the backend. Resolves when that is done, at the latest after the time of two calls. Clients that were handed in
   * stay open.
   *
   * A body that still runs then runs without its lock. With `drainMs` the leases that are held go on for as long, so
   * that their bodies can end; a second call, without it, ends them at once.
   */
  close(options?: CloseOptions): Promise<void>;
}

export interface CloseOptions {
  /**
   * How long leases that are held may go on, renewed as before, until their holders have given them back. No lock is
   * given out meanwhile. Their signals do not abort: tell the bodies in your own way that it is time. Default 0.
   */
  readonly drainMs?: number;
}

/** The lease that a backend's locks give: with a token, where the backend has them. */
export type LeaseOf<B extends Backend> = B extends Fences ? FencedLease : Lease;

/** A lock that nobody uses is kept for its next use, up to this many. */
const IDLE_LOCKS_KEPT = 256;

const DEFAULTS = { ttlMs: 30_000, waitMs: 10_000 };
const LOCK_OPTIONS = ['ttlMs', 'waitMs', 'maxHoldMs', 'renew', 'purpose'];
const ACQUIRE_OPTIONS = ['waitMs', 'purpose', 'signal'];

/**
 * Makes the locks of a backend. One per process and backend is right: waiters of one `Locks` object stand in one line,
 * and renewals travel together.
 *
 * @example
 * const locks = createLocks(redisBackend(fromIoredis(redis)), { ttlMs: 30_000 });
 * await locks.lock('order:1001').run(async (lease) => charge(order, lease.fencingToken));
 */
export function createLocks<B extends Backend>(backend: B, options: LocksOptions = {}): Locks<LeaseOf<B>> {
  // One class serves backends with and without tokens; the types say which of them this is.
  return new LocksOfOneBackend(backend, options) as unknown as Locks<LeaseOf<B>>;
}

class LocksOfOneBackend implements Locks<FencedLease> {
  readonly #backend: Backend;
  readonly #defaults: LocalWaiterOptions;
  readonly #shared: Shared;
  readonly #locks: Map<string, LocalLock> = new Map();
  readonly #leases: Map<OwnerId, HeldLease> = new Map();
  readonly #work: Work = new Work();
  readonly #stopReports: (() => void) | undefined;
  #isClosed = false;
  #closed: Promise<void> | undefined;
  /** Ends the time in which leases go on after `close`. */
  #endDrain: () => void = () => undefined;

  constructor(backend: Backend, options: LocksOptions) {
    checkKeys('The options of createLocks', options, [...LOCK_OPTIONS, 'callMs', 'clock', 'random']);
    const { clock = systemClock, random = systemRandom } = options;
    this.#backend = backend;
    const none = {
      ...DEFAULTS,
      maxHoldMs: Number.POSITIVE_INFINITY,
      renew: true,
      purpose: undefined,
      signal: undefined,
    };
    this.#defaults = checkLockOptions(options, none);
    const callMs =
      options.callMs === undefined
        ? defaultCallMs(this.#defaults.ttlMs)
        : checkMs('callMs', options.callMs, { min: 10 });
    const calls = new BackendCalls(clock, backend.id, callMs);
    const instance = randomUUID();
    let acquisitions = 0;
    this.#shared = {
      backend,
      calls,
      random,
      janitor: new Janitor(backend, calls, random),
      watchdog: renews(backend) ? new Watchdog(backend, calls) : undefined,
      newOwner: () => `${instance}:${++acquisitions}`,
      work: this.#work,
      began: (lease) => this.#leases.set(lease.owner, lease),
      ended: (lease) => {
        this.#leases.delete(lease.owner);
        if (this.#leases.size === 0) this.#endDrain();
      },
      idle: (lock) => {
        if (this.#locks.size > IDLE_LOCKS_KEPT) this.#locks.delete(lock.name);
      },
    };
    if (reportsLoss(backend)) this.#stopReports = backend.onLoss((owner, reason) => this.#reported(owner, reason));
  }

  lock(name: string, options?: LockOptions): Lock<FencedLease> {
    let settings = this.#defaults;
    if (options !== undefined) {
      checkKeys('The options of a lock', options, LOCK_OPTIONS);
      settings = checkLockOptions(options, settings);
    }
    return new NamedLock(checkName(name), settings, this.#shared.calls.clock, this, () => this.#localLock(name));
  }

  async close(options: CloseOptions = {}): Promise<void> {
    checkKeys('The options of close', options, ['drainMs']);
    const { drainMs = 0 } = options;
    checkMs('drainMs', drainMs, { min: 0 });
    // Before anybody is told: who hears that its lease is lost may ask for the lock again in that moment.
    this.#isClosed = true;
    if (drainMs === 0) this.#endDrain();
    this.#closed ??= this.#close(drainMs);
    await this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(drainMs: number): Promise<void> {
    const error = this.#closedError();
    for (const lock of this.#locks.values()) lock.close(error);
    if (drainMs > 0) await this.#drained(drainMs);
    for (const lease of [...this.#leases.values()]) {
      lease.lose('closed', 'The Locks object that it came from was closed.');
      await Promise.resolve(lease.release()).catch(() => undefined); // the loss, which its signal has told already
    }
    this.#shared.watchdog?.close();
    this.#stopReports?.();
    await this.#work.ended();
    await this.#shared.janitor.close();
    this.#shared.calls.close();
    await this.#backend.close();
  }

  /** Resolves when no lease is held any more, or when the time is over. */
  #drained(drainMs: number): Promise<void> {
    const { clock } = this.#shared.calls;
    return new Promise((resolve) => {
      const cancel = clock.callAt(Instant.plus(clock.now(), drainMs), () => this.#endDrain(), { keepAlive: true });
      this.#endDrain = () => {
        cancel();
        this.#endDrain = () => undefined;
        resolve();
      };
      if (this.#leases.size === 0) this.#endDrain();
    });
  }

  #closedError(): LockError {
    return new LockError('CLOSED', 'These locks were closed: close() was called on their Locks object.');
  }

  #localLock(name: string): LocalLock {
    if (this.#isClosed) throw this.#closedError();
    let lock = this.#locks.get(name);
    if (lock === undefined) {
      lock = new LocalLock(name, this.#shared);
      this.#locks.set(name, lock);
    }
    return lock;
  }

  #reported(owner: OwnerId, reason: LossReason | 'at-risk'): void {
    const lease = this.#leases.get(owner);
    if (lease === undefined) return;
    if (reason === 'at-risk') lease.doubt();
    else lease.lose(reason, whatHappened(reason, this.#backend.id));
  }
}

/** A loss that a backend has reported, in a sentence. */
function whatHappened(reason: LossReason, backend: string): string {
  switch (reason) {
    case 'broken':
      return 'An operator broke the lock.';
    case 'disconnected':
      return `The session in ${backend} that held it has ended: the server or the network closed its connection, or one of the two heard nothing from the other for too long. Others can have the lock now.`;
    default:
      return `The ${backend} backend says that it is not ours any more. Others can have the lock now.`;
  }
}

class NamedLock implements Lock<FencedLease> {
  readonly name: string;
  readonly #settings: LocalWaiterOptions;
  readonly #clock: Clock;
  readonly #locks: object;
  readonly #local: () => LocalLock;

  constructor(name: string, settings: LocalWaiterOptions, clock: Clock, locks: object, local: () => LocalLock) {
    this.name = name;
    this.#settings = settings;
    this.#clock = clock;
    this.#locks = locks;
    this.#local = local;
  }

  async run<Result>(
    body: (lease: FencedLease) => Result | PromiseLike<Result>,
    options?: AcquireOptions,
  ): Promise<Result> {
    const settings = this.#checked(options, ACQUIRE_OPTIONS);
    if (openFrame(this.#locks, this.name) !== undefined) {
      const nested = await enterNested(this.#locks, this.name, this.#clock, settings);
      if (nested !== undefined) {
        try {
          return await runInFrame(nested, async () => body(new NestedLease(nested)));
        } finally {
          nested.end();
        }
      }
    }
    const lease = await this.#acquire(settings);
    const frame = new Frame(this.#locks, lease, currentFrame(), undefined);
    let result: Result;
    try {
      result = await runInFrame(frame, async () => body(lease));
    } catch (error) {
      frame.end();
      await lease.release().catch((lockError: unknown) => attach(error, lockError));
      throw error;
    }
    frame.end();
    await lease.release().catch((error: unknown) => {
      if (error instanceof LockError && error.code === 'LOST') throw error;
    });
    return result;
  }

  async acquire(options?: AcquireOptions): Promise<FencedLease> {
    const settings = this.#checked(options, ACQUIRE_OPTIONS);
    if (openFrame(this.#locks, this.name) !== undefined) {
      throw new LockError(
        'SELF_DEADLOCK',
        `The caller's own context holds the lock ${quote(this.name)}, so that acquire() would wait for itself. A nested run() enters at once.`,
        { lockName: this.name },
      );
    }
    return await this.#acquire(settings);
  }

  async tryAcquire(options?: Pick<AcquireOptions, 'purpose' | 'signal'>): Promise<FencedLease | null> {
    const settings = this.#checked(options, ['purpose', 'signal']);
    return await this.#local().tryAcquire(settings);
  }

  #acquire(settings: LocalWaiterOptions): Promise<HeldLease> {
    return settings.waitMs > 0 ? this.#local().acquire(settings) : this.#acquireNow(settings);
  }

  async #acquireNow(settings: LocalWaiterOptions): Promise<HeldLease> {
    const lease = await this.#local().tryAcquire(settings);
    if (lease === null) throw new LockBusyError(this.name, 0);
    return lease;
  }

  #checked(options: AcquireOptions | undefined, known: readonly string[]): LocalWaiterOptions {
    if (options === undefined) return this.#settings;
    checkKeys('The options of an acquisition', options, known);
    const { waitMs, purpose, signal } = options;
    return {
      ...this.#settings,
      waitMs: waitMs === undefined ? this.#settings.waitMs : checkMs('waitMs', waitMs, { min: 0 }),
      purpose: checkText('purpose', purpose) ?? this.#settings.purpose,
      signal: checkSignal(signal),
    };
  }
}

function checkLockOptions(options: LockOptions, defaults: LocalWaiterOptions): LocalWaiterOptions {
  const { ttlMs, waitMs, maxHoldMs, renew, purpose } = options;
  return {
    ttlMs: ttlMs === undefined ? defaults.ttlMs : checkMs('ttlMs', ttlMs, { min: SHORTEST_TTL_MS }),
    waitMs: waitMs === undefined ? defaults.waitMs : checkMs('waitMs', waitMs, { min: 0 }),
    maxHoldMs:
      maxHoldMs === undefined ? defaults.maxHoldMs : checkMs('maxHoldMs', maxHoldMs, { min: 1, max: LONGEST_MS }),
    renew: renew === undefined ? defaults.renew : checkBoolean('renew', renew),
    purpose: checkText('purpose', purpose) ?? defaults.purpose,
    signal: undefined,
  };
}

function defaultCallMs(ttlMs: number): number {
  return Math.min(5_000, Math.max(250, ttlMs / 6));
}

/** Puts a problem with the lock on the body's error, where a caller that looks for it finds it. */
function attach(error: unknown, lockError: unknown): void {
  if (typeof error !== 'object' || error === null || !Object.isExtensible(error)) return;
  Object.defineProperty(error, 'lockError', { value: lockError, configurable: true });
}
