/**
 * A lease as a state machine: `held -> at-risk -> lost | released`, with time on its side. It is the one owner of its
 * state. `lost` and `released` are final, and each is entered once.
 *
 * @module
 */
import type { Granted, Hold } from './backend.ts';
import { type CancelTimer, type Clock, Instant } from './clock.ts';
import { LeaseLostError, type LockError, type LossReason } from './errors.ts';
import { publish } from './events.ts';

/**
 * `at-risk` means that the last news was bad (a renewal without an answer, a lost connection) while the time that was
 * granted still runs; a renewal that is answered makes it `held` again.
 */
export type LeaseState = 'held' | 'at-risk' | 'lost' | 'released';

/** What a holder has in hand, from the grant to release or loss. */
export interface Lease extends AsyncDisposable {
  readonly name: string;
  /** The id of this acquisition, as `holdfast who` shows it. */
  readonly owner: string;
  /** The TTL that the backend really granted; `Infinity` where the lock hangs on a connection. */
  readonly ttlMs: number;
  /** The state now. Reads the clock, so that a process that was stopped sees `lost` at its first look. No I/O. */
  readonly state: LeaseState;
  /** What is left of the lease if no renewal is answered any more, 0 once it is lost or released. Reads the clock; no I/O. */
  readonly remainingMs: number;
  /**
   * Aborts with a `LeaseLostError` when the lease is lost, shortly before its time is over: at least 20 ms and a
   * twentieth of the TTL. If the event loop is blocked then, it aborts late: check with `assertHeld` before you write.
   */
  readonly signal: AbortSignal;
  /** Throws the `LeaseLostError` if the lease is not held any more. Reads the clock; no I/O. */
  assertHeld(): void;
  /**
   * Asks the backend, and renews. Resolves when it has answered that the lease is still ours; rejects with
   * `LeaseLostError` if not, with `OutcomeUnknownError` or `BackendUnavailableError` if it gave no answer.
   */
  confirm(): Promise<void>;
  /**
   * Gives the lock back. Resolves when the backend has confirmed it; rejects with `LeaseLostError` if the lease had
   * been lost, with `BackendUnavailableError` if no answer came within 5 s or the rest of the TTL (it goes on in the
   * background, and by the TTL the lock is free in any case). Again gives the same promise.
   */
  release(): Promise<void>;
}

/** A lease on a backend that numbers its grants. */
export interface FencedLease extends Lease {
  /** Larger than the tokens of all earlier grants of this lock. Hand it to the resource, and let that refuse smaller ones. */
  readonly fencingToken: bigint;
}

/** What was granted, and until when we may rely on it. */
export interface Grant {
  readonly hold: Hold;
  readonly ttlMs: number;
  readonly fencingToken: bigint | undefined;
  readonly validUntil: Instant;
  /** Whether a request of this owner id is still out, so that its arrival after the release must be refused. */
  readonly mayArriveLate: boolean;
}

/** Until when a grant is good: its TTL from `countedFrom` on, less 1 % and 2 ms for clocks that run at different rates. */
export function validity(countedFrom: Instant, ttlMs: number): Instant {
  if (ttlMs === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY as Instant; // 1 % of it is no number
  return Instant.plus(countedFrom, ttlMs - (ttlMs * 0.01 + 2));
}

/** How long before the end the signal aborts, so that the body can stop in time. */
export function marginMs(ttlMs: number): number {
  return ttlMs === Number.POSITIVE_INFINITY ? 0 : Math.max(20, ttlMs / 20);
}

/** The grant that an answer stands for. `sentAt` is the instant before the request left. */
export function toGrant(hold: Hold, answer: Granted, sentAt: Instant, mayArriveLate: boolean): Grant {
  return {
    hold,
    ttlMs: answer.ttlMs,
    fencingToken: answer.fencingToken,
    validUntil: validity(answer.countedFrom ?? sentAt, answer.ttlMs),
    mayArriveLate,
  };
}

/** What a lease asks of those who made it. */
export interface LeaseKeeper {
  readonly clock: Clock;
  readonly backendId: string;
  confirm(lease: HeldLease): Promise<void>;
  release(lease: HeldLease, lost: LeaseLostError | undefined): Promise<void>;
  /** Called once, when the lease is lost or given back. */
  ended(lease: HeldLease): void;
}

export class HeldLease implements FencedLease {
  readonly hold: Hold;
  readonly grantedAt: Instant;
  /** How many renewals were sent since the last one that was answered. */
  unansweredRenewals = 0;
  /** What the last renewal failed with, for the message of a loss. */
  renewalProblem: LockError | undefined;

  readonly #keeper: LeaseKeeper;
  readonly #renewing: boolean;
  readonly #grant: Grant;
  /** Made when somebody asks for the signal: most bodies are short, and never do. */
  #abort: AbortController | undefined;
  readonly #maxHoldUntil: Instant;
  #state: LeaseState = 'held';
  #validUntil: Instant;
  #ttlMs: number;
  #loss: LeaseLostError | undefined;
  #released: Promise<void> | undefined;
  #cancelTimer: CancelTimer | undefined;

  /** `renewing`: whether a watchdog renews it, for the message when it has expired. */
  constructor(
    grant: Grant,
    keeper: LeaseKeeper,
    { renewing, maxHoldMs }: { readonly renewing: boolean; readonly maxHoldMs: number },
  ) {
    this.hold = grant.hold;
    this.#grant = grant;
    this.#keeper = keeper;
    this.#renewing = renewing;
    this.#validUntil = grant.validUntil;
    this.#ttlMs = grant.ttlMs;
    this.grantedAt = keeper.clock.now();
    this.#maxHoldUntil = Instant.plus(this.grantedAt, maxHoldMs);
  }

  get name(): string {
    return this.hold.name;
  }

  get owner(): string {
    return this.hold.owner;
  }

  get ttlMs(): number {
    return this.#ttlMs;
  }

  get fencingToken(): bigint {
    // A backend without tokens gives leases of the type without this member, where `undefined` is what one finds.
    return this.#grant.fencingToken as bigint;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#loss !== undefined) this.#abort.abort(this.#loss);
    }
    return this.#abort.signal;
  }

  get state(): LeaseState {
    this.#look();
    return this.#state;
  }

  get remainingMs(): number {
    this.#look();
    return this.isOver ? 0 : this.#validUntil - this.#keeper.clock.now();
  }

  get mayArriveLate(): boolean {
    return this.#grant.mayArriveLate;
  }

  get validUntil(): Instant {
    return this.#validUntil;
  }

  /** Whether the end has been entered, without looking at the clock. */
  get isOver(): boolean {
    return this.#state === 'lost' || this.#state === 'released';
  }

  assertHeld(): void {
    this.#look();
    if (this.#loss !== undefined) throw this.#loss;
    if (this.#state === 'released') {
      throw new LeaseLostError(this.name, 'released', 'Its holder gave it back before this call.');
    }
  }

  async confirm(): Promise<void> {
    this.assertHeld();
    await this.#keeper.confirm(this);
    this.assertHeld();
  }

  release(): Promise<void> {
    this.#look();
    this.#released ??= this.#release();
    return this.#released;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  #release(): Promise<void> {
    if (this.#state !== 'lost') this.#end('released');
    return this.#keeper.release(this, this.#loss);
  }

  /** A renewal was answered: the time starts again from its sending. Comes too late for a lease that is over. */
  extend(validUntil: Instant, ttlMs: number): void {
    this.#look();
    if (this.isOver) return;
    this.unansweredRenewals = 0;
    this.renewalProblem = undefined;
    this.#state = 'held';
    this.#ttlMs = ttlMs;
    if (validUntil > this.#validUntil) this.#validUntil = validUntil;
  }

  doubt(): void {
    if (this.#state === 'held') this.#state = 'at-risk';
  }

  /** Ends the lease as lost, once. */
  lose(reason: LossReason, detail: string): void {
    if (this.isOver) return;
    this.#loss = new LeaseLostError(this.name, reason, detail);
    this.#end('lost');
    publish('holdfast:loss', () => ({
      backend: this.#keeper.backendId,
      lockName: this.name,
      owner: this.owner,
      reason,
      heldMs: this.#keeper.clock.now() - this.grantedAt,
    }));
    this.#abort?.abort(this.#loss);
  }

  #end(state: 'lost' | 'released'): void {
    this.#state = state;
    this.#cancelTimer?.();
    this.#keeper.ended(this);
  }

  /** What every look at the lease does first: its time may be over without anybody having said so. */
  #look(): void {
    if (this.isOver) return;
    const now = this.#keeper.clock.now();
    if (now >= this.#validUntil) this.#expire(now);
    else if (now >= this.#maxHoldUntil) this.#overstay();
  }

  /** When the lease ends by itself, as far as is known now: the signal is due, or it was held for long enough. */
  get endsAt(): Instant {
    return Instant.earliest(this.#signalDue(), this.#maxHoldUntil);
  }

  /**
   * From now on the end does not go by unnoticed; again does nothing. Who keeps the lease calls this in time before
   * `endsAt`, and may leave it at that for a while: most leases are given back long before, and need no timer.
   *
   * One timer a lease, set for the end. Renewals move the end but not the timer: a timer that fires early looks where the
   * end is now and waits on.
   */
  watchTheEnd(): void {
    if (this.isOver || this.#cancelTimer !== undefined || this.endsAt === Number.POSITIVE_INFINITY) return;
    const { clock } = this.#keeper;
    this.#cancelTimer = clock.callAt(
      this.endsAt,
      () => {
        this.#cancelTimer = undefined;
        if (this.isOver) return;
        const now = clock.now();
        if (now >= this.#signalDue()) this.#expire(now);
        else if (now >= this.#maxHoldUntil) this.#overstay();
        else this.watchTheEnd();
      },
      { keepAlive: false },
    );
  }

  #signalDue(): Instant {
    return Instant.plus(this.#validUntil, -marginMs(this.#ttlMs));
  }

  #overstay(): void {
    const heldMs = Math.round(this.#keeper.clock.now() - this.grantedAt);
    this.lose(
      'max-hold',
      `It was held for ${heldMs} ms, which is all that maxHoldMs allows. It is not renewed any more.`,
    );
  }

  #expire(now: Instant): void {
    this.lose('expired', this.#whyExpired(now));
  }

  #whyExpired(now: Instant): string {
    const ttl = `its TTL of ${this.#ttlMs} ms`;
    const lateMs = Math.round(now - this.#signalDue());
    if (lateMs > Math.max(250, this.#ttlMs / 10)) {
      return (
        `This process was stopped, suspended or its event loop blocked, and looked ${lateMs} ms after the end of ${ttl}. ` +
        'A longer ttlMs or fewer blocking tasks in this process would help.'
      );
    }
    if (!this.#renewing) return `Renewal is off, and ${ttl} is over. A longer ttlMs or \`renew: true\` would help.`;
    const sent = `within ${ttl}; ${this.unansweredRenewals} were sent.`;
    const remedy = 'A longer ttlMs rides out longer outages.';
    const problem = this.renewalProblem;
    // An answer that says why is worth more than a guess.
    if (problem?.code === 'UNAVAILABLE')
      return `No renewal succeeded ${sent} ${remedy} The last one: ${problem.message}`;
    return `No renewal was answered ${sent} Is the server reachable? ${remedy}`;
  }
}
