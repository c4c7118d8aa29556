/**
 * Everything that one process does about one lock: who holds it here, who waits here, and the one contender that waits
 * for all of them at the backend.
 *
 * When a lease is given back and somebody waits here, the lock is passed on in one round trip where the backend can
 * transfer; the backend does so only while nobody is in its queue, so that other processes keep their turn.
 *
 * @module
 */
import { type AcquireRequest, renews, type Transfers, transfers } from './backend.ts';
import { type Clock, Instant } from './clock.ts';
import { Contender, type ContenderTools, type Contending, heartbeatMs } from './contender.ts';
import { BackendUnavailableError, isTransient, LeaseLostError, LockBusyError, LockError, quote } from './errors.ts';
import { publish } from './events.ts';
import { type Grant, HeldLease, type LeaseKeeper, marginMs, toGrant } from './lease.ts';
import { abortedError, LocalQueue, LocalWaiter, type LocalWaiterOptions } from './local-queue.ts';
import type { Watchdog } from './watchdog.ts';

/** How long a caller of `release` waits for the confirmation at most. */
const RELEASE_MS = 5_000;

/** A backend of which nothing has been heard for so long is away, as far as a caller can tell; sooner it says nothing. */
const SILENCE_MS = 250;

const nothing = (): void => undefined;

/** What all locks of one `Locks` object share. */
export interface Shared extends ContenderTools {
  readonly watchdog: Watchdog | undefined;
  /** Called when a lease begins and when it ends. */
  began(lease: HeldLease): void;
  ended(lease: HeldLease): void;
  /** Called when nobody here holds the lock or waits for it. */
  idle(state: LocalLock): void;
}

export class LocalLock implements Contending, LeaseKeeper {
  readonly name: string;
  readonly #shared: Shared;
  readonly clock: Clock;
  readonly #queue: LocalQueue<HeldLease> = new LocalQueue();
  #holder: HeldLease | undefined;
  #contender: Contender | undefined;
  /** Tries and transfers that are under way. */
  #busy = 0;
  #closed: LockError | undefined;
  /** What the backend last failed with, if it did. */
  #problem: LockError | undefined;
  /** Since when the contender waits for its first answer of any kind. */
  #silentSince: Instant | undefined;

  constructor(name: string, shared: Shared) {
    this.name = name;
    this.#shared = shared;
    this.clock = shared.calls.clock;
  }

  get backendId(): string {
    return this.#shared.backend.id;
  }

  /** Waits in line. */
  acquire(options: LocalWaiterOptions): Promise<HeldLease> {
    const waiter = new LocalWaiter<HeldLease>(this.clock, options);
    if (options.signal?.aborted) return Promise.reject(abortedError(this.name, options.signal));
    // Most locks are free. Who is first, and will wait for longer than the first answer can take, goes without a timer
    // until that answer says that there is something to wait for.
    const mayGoUnwatched =
      options.signal === undefined && options.waitMs > this.#shared.calls.callMs && this.#isFreeHere();
    this.#queue.add(waiter);
    if (!mayGoUnwatched) this.#watch(waiter);
    this.#contendIfNeeded();
    return waiter.lease;
  }

  /** Tries once, and not at all while somebody here has the lock or waits for it. */
  async tryAcquire(options: LocalWaiterOptions): Promise<HeldLease | null> {
    if (options.signal?.aborted) throw abortedError(this.name, options.signal);
    if (!this.#isFreeHere()) return null;
    const { backend, calls, janitor, work } = this.#shared;
    const request = this.#request(options);
    const sentAt = this.clock.now();
    this.#busy++;
    work.begin();
    try {
      const answer = await calls.make('the try', this.name, sentAt, (deadline) =>
        backend.tryAcquire(request, deadline),
      );
      this.#publishAttempt(request, answer.outcome, sentAt);
      if (answer.outcome === 'busy') return null;
      const grant = toGrant(request, answer, sentAt, false);
      if (
        this.#closed === undefined &&
        !options.signal?.aborted &&
        grant.validUntil - this.clock.now() > marginMs(grant.ttlMs)
      ) {
        return this.#begin(grant, options, sentAt);
      }
    } catch (error) {
      this.#publishAttempt(request, 'error', sentAt);
      if (error instanceof LockError && error.code === 'OUTCOME_UNKNOWN') janitor.withdraw(request, true);
      throw error;
    } finally {
      this.#busy--;
      this.#settle();
      work.end();
    }
    janitor.withdraw(request, false);
    if (this.#closed !== undefined) throw this.#closed;
    throw options.signal?.aborted ? abortedError(this.name, options.signal) : this.#tooLateError(options.ttlMs);
  }

  /** Ends all waits here with an error. */
  close(error: LockError): void {
    this.#closed = error;
    for (const waiter of this.#queue.takeAll()) this.#rejectWaiter(waiter, error);
    this.#stopContender();
  }

  #isHeldHere(): boolean {
    return this.#holder !== undefined && this.#holder.state !== 'lost';
  }

  /** Nobody here holds the lock, waits for it, or asks for it. */
  #isFreeHere(): boolean {
    return !this.#isHeldHere() && this.#queue.size === 0 && this.#contender === undefined && this.#busy === 0;
  }

  #watch(waiter: LocalWaiter<HeldLease>): void {
    const { signal, waitMs } = waiter.options;
    waiter.watch(
      () => this.#giveUp(waiter, this.#timeoutError(waitMs)),
      () => this.#giveUp(waiter, abortedError(this.name, signal as AbortSignal)),
    );
  }

  #giveUp(waiter: LocalWaiter<HeldLease>, error: LockError): void {
    this.#queue.leave(waiter);
    this.#rejectWaiter(waiter, error);
    if (this.#queue.size === 0) this.#stopContender();
    this.#settle();
  }

  #rejectWaiter(waiter: LocalWaiter<HeldLease>, error: LockError): void {
    publish('holdfast:wait-ended', () => ({
      backend: this.#shared.backend.id,
      lockName: this.name,
      code: error.code,
      waitedMs: this.clock.now() - waiter.askedAt,
    }));
    waiter.reject(error);
  }

  #timeoutError(waitMs: number): LockError {
    const problem = this.#problem;
    const silentMs = this.#silentSince === undefined ? 0 : this.clock.now() - this.#silentSince;
    if (this.#isHeldHere() || (problem === undefined && silentMs < SILENCE_MS)) {
      return new LockBusyError(this.name, waitMs);
    }
    const what = problem?.message ?? 'nothing has come so far. Is the server reachable, and not stopped?';
    return new BackendUnavailableError(
      `The lock ${quote(this.name)} could not be had within ${waitMs} ms, since ${this.#shared.backend.id} did not answer: ${what}`,
      { lockName: this.name, cause: problem },
    );
  }

  #tooLateError(ttlMs: number): LockError {
    const { id } = this.#shared.backend;
    return new BackendUnavailableError(
      `${id} gave the lock ${quote(this.name)} so late that nothing useful was left of its TTL of ${ttlMs} ms; it was given back. A longer ttlMs would help.`,
      { lockName: this.name },
    );
  }

  #contendIfNeeded(): void {
    const first = this.#queue.first;
    if (first === undefined || this.#isHeldHere() || this.#contender !== undefined || this.#busy > 0) return;
    this.#problem = undefined;
    this.#silentSince = this.clock.now();
    this.#contender = new Contender(this.#request(first.options), this.#shared, this);
    this.#contender.start();
  }

  #stopContender(): void {
    this.#contender?.stop();
    this.#contender = undefined;
  }

  heard(problem: LockError | undefined): void {
    this.#problem = problem;
    this.#silentSince = undefined;
    const first = this.#queue.first;
    if (first !== undefined && !first.isWatched) this.#watch(first);
  }

  granted(grant: Grant): void {
    this.#contender = undefined;
    this.#problem = undefined;
    this.#silentSince = undefined;
    const waiter = this.#queue.takeFirst();
    if (waiter === undefined) this.#shared.janitor.withdraw(grant.hold, false);
    else waiter.resolve(this.#begin(grant, waiter.options, waiter.askedAt));
    this.#settle();
  }

  /** Asking again cannot help: everyone who waits here is told. */
  failed(error: LockError): void {
    this.#contender = undefined;
    for (const waiter of this.#queue.takeAll()) this.#rejectWaiter(waiter, error);
    this.#settle();
  }

  #begin(grant: Grant, options: LocalWaiterOptions, askedAt: Instant): HeldLease {
    const { backend, watchdog } = this.#shared;
    const renewing = options.renew && watchdog !== undefined;
    // A backend may give more than was asked for, and then renews as much. It gives less only until the first renewal.
    const ttlMs = Number.isFinite(grant.ttlMs) ? Math.max(options.ttlMs, grant.ttlMs) : options.ttlMs;
    const own: Grant = grant.hold.ttlMs === ttlMs ? grant : { ...grant, hold: { ...grant.hold, ttlMs } };
    const lease = new HeldLease(own, this, { renewing, maxHoldMs: options.maxHoldMs });
    this.#holder = lease;
    this.#shared.began(lease);
    if (renewing) {
      watchdog.keep(lease);
    } else {
      lease.watchTheEnd();
      // Also without renewals the holder gets the time that it asked for: a hand-over is for less until it is claimed.
      if (grant.ttlMs < ttlMs) watchdog?.renewOnce(lease);
    }
    publish('holdfast:grant', () => ({
      backend: backend.id,
      lockName: this.name,
      owner: lease.owner,
      fencingToken: grant.fencingToken,
      waitedMs: this.clock.now() - askedAt,
    }));
    return lease;
  }

  ended(lease: HeldLease): void {
    this.#shared.watchdog?.drop(lease);
    this.#shared.ended(lease);
    if (lease !== this.#holder || lease.state === 'released') return; // a release passes the lock on by itself
    this.#holder = undefined;
    this.#contendIfNeeded();
    this.#settle();
  }

  async confirm(lease: HeldLease): Promise<void> {
    const { backend, watchdog } = this.#shared;
    if (!renews(backend) || watchdog === undefined) {
      throw new LockError('UNSUPPORTED', `The ${backend.id} backend cannot confirm a lease: it has no renewal.`, {
        lockName: this.name,
      });
    }
    await watchdog.confirm(lease);
  }

  release(lease: HeldLease, lost: LeaseLostError | undefined): Promise<void> {
    const released = this.#giveUpHold(lease, lost);
    released.catch(nothing); // who does not wait for a release need not learn what became of it: the TTL frees the lock
    return released;
  }

  /** Gives the lock back, or passes it on to the next who waits here. */
  async #giveUpHold(lease: HeldLease, lost: LeaseLostError | undefined): Promise<void> {
    const { backend, janitor, work } = this.#shared;
    if (lost !== undefined) {
      // By the backend's clock it may be ours for a moment longer; waiters elsewhere need not wait for that.
      if (lost.reason !== 'taken' && lost.reason !== 'broken') janitor.withdraw(lease.hold, false);
      throw lost;
    }
    const next = this.#contender === undefined ? this.#queue.first : undefined;
    this.#busy++;
    work.begin();
    let error: unknown;
    try {
      if (next !== undefined && transfers(backend)) await this.#passOn(lease, backend, next.options);
      else await this.#giveBack(lease);
    } catch (problem) {
      error = problem;
      throw problem;
    } finally {
      this.#busy--;
      if (this.#holder === lease) this.#holder = undefined;
      if (lease.mayArriveLate) janitor.withdraw(lease.hold, true);
      publish('holdfast:release', () => {
        const heldMs = this.clock.now() - lease.grantedAt;
        const event = { backend: backend.id, lockName: this.name, owner: lease.owner, heldMs };
        return error === undefined ? event : { ...event, error };
      });
      this.#settle();
      work.end();
    }
  }

  #giveBack(lease: HeldLease): Promise<unknown> {
    const { backend } = this.#shared;
    return this.#untilAnswered(
      lease,
      (deadline) => backend.release(lease.hold, deadline),
      (answer) => answer === 'not-held',
    );
  }

  /** Transfers to the next waiter here; if others are ahead at the backend, the contender waits there behind them. */
  async #passOn(lease: HeldLease, backend: Transfers, options: LocalWaiterOptions): Promise<void> {
    const { janitor } = this.#shared;
    const next = this.#request(options);
    const contender = new Contender(next, this.#shared, this);
    contender.listen();
    this.#contender = contender;
    try {
      const { answer, sentAt, mayArriveLate } = await this.#untilAnswered(
        lease,
        (deadline) => backend.transfer(lease.hold, next, deadline),
        ({ outcome }) => outcome === 'not-held',
      );
      if (answer.outcome === 'granted') {
        if (this.#holder === lease) this.#holder = undefined;
        this.granted(toGrant(next, answer, sentAt, mayArriveLate));
      } else if (answer.outcome === 'waiting' && this.#contender === contender) {
        contender.startFrom(answer, sentAt, mayArriveLate);
        return;
      } else if (answer.outcome === 'waiting' || mayArriveLate) {
        janitor.withdraw(next, mayArriveLate); // everyone who waited here has left meanwhile
      }
    } catch (error) {
      janitor.withdraw(next, true);
      throw error;
    } finally {
      if (!contender.started) contender.stopListening();
      if (this.#contender === contender && !contender.started) this.#contender = undefined;
    }
  }

  /**
   * Asks until there is an answer. "Not held" after a request that had no answer means that this one did it: an owner
   * id is never used again, so that only its own release, or the end of its time, can have ended the hold.
   */
  async #untilAnswered<Answer>(
    lease: HeldLease,
    ask: (deadline: Instant) => Promise<Answer>,
    isNotHeld: (answer: Answer) => boolean,
  ): Promise<{ answer: Answer; sentAt: Instant; mayArriveLate: boolean }> {
    const { calls, janitor } = this.#shared;
    let sentAt = this.clock.now();
    const giveUpAt = Instant.earliest(lease.validUntil, Instant.plus(sentAt, RELEASE_MS));
    let mayArriveLate = false;
    for (let pauseMs = 20; ; pauseMs = Math.min(500, pauseMs * 2)) {
      try {
        const answer = await calls.make('the release', this.name, sentAt, ask);
        if (isNotHeld(answer) && !mayArriveLate) throw this.#notHeldError();
        return { answer, sentAt, mayArriveLate };
      } catch (error) {
        if (!isTransient(error)) throw error;
        mayArriveLate ||= (error as LockError).code === 'OUTCOME_UNKNOWN';
        if (this.clock.now() + pauseMs >= giveUpAt) {
          janitor.release(lease.hold);
          throw this.#releaseError(lease, error);
        }
      }
      await new Promise<void>((resolve) => {
        this.clock.callAt(Instant.plus(this.clock.now(), pauseMs), resolve, { keepAlive: true });
      });
      sentAt = this.clock.now();
    }
  }

  #notHeldError(): LeaseLostError {
    const { id } = this.#shared.backend;
    return new LeaseLostError(
      this.name,
      'taken',
      `At its release the ${id} backend answered that it was not ours any more.`,
    );
  }

  #releaseError(lease: HeldLease, cause: unknown): LockError {
    return new BackendUnavailableError(
      `The release of the lock ${quote(this.name)} was not confirmed by ${this.#shared.backend.id}. ` +
        `It goes on in the background, and the lock is free by itself when its TTL of ${lease.ttlMs} ms is over.`,
      { lockName: this.name, cause },
    );
  }

  #request({ ttlMs, purpose }: LocalWaiterOptions): AcquireRequest {
    return { name: this.name, owner: this.#shared.newOwner(), ttlMs, purpose, heartbeatMs: heartbeatMs(ttlMs) };
  }

  #publishAttempt({ owner }: AcquireRequest, outcome: 'granted' | 'busy' | 'error', sentAt: Instant): void {
    publish('holdfast:attempt', () => ({
      backend: this.#shared.backend.id,
      lockName: this.name,
      owner,
      outcome,
      tookMs: this.clock.now() - sentAt,
    }));
  }

  /** Tells the owner of this object when there is nothing left to keep it for; starts what had to wait. */
  #settle(): void {
    this.#contendIfNeeded();
    const idle = this.#queue.size === 0 && this.#holder === undefined && this.#contender === undefined;
    if (idle && this.#busy === 0) this.#shared.idle(this);
  }
}
