/**
 * The watchdog renews leases in the background: every third of the TTL, and more often while answers fail to come,
 * until the lease is over. It never acquires anew in place of renewing: what is gone is lost.
 *
 * Leases whose renewals fall due close together travel in one call, so that thousands of held locks cost few calls.
 *
 * @module
 */
import type { Hold, RenewAnswer, Renews } from './backend.ts';
import type { BackendCalls } from './call.ts';
import { type CancelTimer, Instant } from './clock.ts';
import type { LockError } from './errors.ts';
import { publish } from './events.ts';
import { type HeldLease, validity } from './lease.ts';

/** A renewal that is due within this share of its interval goes along with one that is due now. */
const TRAVEL_TOGETHER = 0.1;

/** How many renewals leave in one turn of the event loop; the rest follows in the next ones, so that others get theirs. */
const AT_ONCE = 1_000;

interface Kept {
  readonly lease: HeldLease;
  /** To be renewed until one renewal has been answered, and not after that. */
  readonly once: boolean;
  dueAt: Instant;
}

export class Watchdog {
  readonly #backend: Renews;
  readonly #calls: BackendCalls;
  readonly #kept: Map<HeldLease, Kept> = new Map();
  #cancelTimer: CancelTimer | undefined;
  #wakeAt: Instant = Number.POSITIVE_INFINITY as Instant;

  constructor(backend: Renews, calls: BackendCalls) {
    this.#backend = backend;
    this.#calls = calls;
  }

  /** Renews a lease of which less was given than was asked for, and leaves it alone when that is answered. */
  renewOnce(lease: HeldLease): void {
    this.#schedule({ lease, once: true, dueAt: this.#calls.clock.now() });
  }

  /** Renews a lease that was granted just now from when a third of its time is over, which may be soon. */
  keep(lease: HeldLease): void {
    const { grantedAt } = lease;
    const waitMs = untilRenewal(lease, grantedAt);
    const dueAt = Instant.plus(grantedAt, Number.isFinite(waitMs) ? waitMs : lease.hold.ttlMs / 3);
    this.#schedule({ lease, once: false, dueAt });
  }

  /** The timer stays for whoever is next, since most leases are over long before a renewal; it keeps no process alive. */
  drop(lease: HeldLease): void {
    this.#kept.delete(lease);
  }

  close(): void {
    this.#kept.clear();
    this.#sleep();
  }

  /** Asks now, out of turn. Rejects if the backend gives no answer. */
  async confirm(lease: HeldLease): Promise<void> {
    await this.#renew([lease]);
  }

  /** Until then nobody needs to watch the lease's end, unless it comes before. */
  #schedule(kept: Kept): void {
    if (kept.lease.endsAt <= kept.dueAt) kept.lease.watchTheEnd();
    this.#kept.set(kept.lease, kept);
    if (kept.dueAt < this.#wakeAt) this.#sleepUntil(kept.dueAt);
  }

  #sleep(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#wakeAt = Number.POSITIVE_INFINITY as Instant;
  }

  #sleepUntil(instant: Instant): void {
    this.#sleep();
    this.#wakeAt = instant;
    this.#cancelTimer = this.#calls.clock.callAt(instant, () => this.#renewDue(), { keepAlive: false });
  }

  /** Renews what is due and what soon will be, and sets the timer for the rest: a walk over all. */
  #renewDue(): void {
    this.#sleep();
    const now = this.#calls.clock.now();
    const due: HeldLease[] = [];
    let next = Number.POSITIVE_INFINITY as Instant;
    for (const kept of this.#kept.values()) {
      const soonMs = (kept.lease.hold.ttlMs / 3) * TRAVEL_TOGETHER;
      if (kept.lease.state === 'lost') continue; // its end has dropped it from here already
      if (kept.dueAt - now <= soonMs && due.length < AT_ONCE) {
        kept.lease.watchTheEnd();
        due.push(kept.lease);
        // Until the answer comes: a silent server must not stop the watchdog.
        kept.dueAt = Instant.plus(
          now,
          Math.min(this.#calls.callMs, kept.lease.hold.ttlMs / 6) + this.#retryMs(kept.lease),
        );
      }
      next = Instant.earliest(next, kept.dueAt);
    }
    if (next !== Number.POSITIVE_INFINITY) this.#sleepUntil(next);
    if (due.length > 0) void this.#renew(due).catch(() => undefined); // each lease has been told; nobody else waits
  }

  async #renew(leases: readonly HeldLease[]): Promise<void> {
    const { clock } = this.#calls;
    const sentAt = clock.now();
    const holds = leases.map((lease): Hold => lease.hold);
    const names = leases.length === 1 ? (leases[0]?.name ?? '') : `${leases.length} locks`;
    for (const lease of leases) lease.unansweredRenewals++;
    try {
      const answers = await this.#calls.make('the renewal', names, sentAt, (deadline) =>
        this.#backend.renew(holds, deadline),
      );
      for (const [index, lease] of leases.entries()) this.#take(lease, answers[index] ?? 'unknown', sentAt);
    } catch (error) {
      for (const lease of leases) {
        lease.renewalProblem = error as LockError;
        this.#take(lease, 'unknown', sentAt);
      }
      throw error;
    }
  }

  #take(lease: HeldLease, answer: RenewAnswer, sentAt: Instant): void {
    if (lease.isOver) return;
    const term = typeof answer === 'object' ? answer : { ttlMs: lease.hold.ttlMs, countedFrom: sentAt };
    const outcome = typeof answer === 'object' ? answer.outcome : answer;
    publish('holdfast:renewal', () => ({
      backend: this.#calls.backendId,
      lockName: lease.name,
      owner: lease.owner,
      outcome,
      slackMs: lease.validUntil - sentAt,
    }));
    switch (outcome) {
      case 'renewed':
        lease.extend(validity(term.countedFrom, term.ttlMs), term.ttlMs);
        break;
      case 'held':
        lease.extend(lease.validUntil, lease.ttlMs);
        break;
      case 'lost':
        lease.lose(
          'taken',
          `The ${this.#calls.backendId} backend answered that it is not ours any more. Did it run out, was it evicted, or lost in a failover?`,
        );
        return;
      case 'unknown':
        // No answer: the backend may have renewed. The lease ends at its deadline either way, so asking again costs nothing.
        lease.doubt();
        break;
    }
    const kept = this.#kept.get(lease);
    if (lease.isOver || kept === undefined) return;
    if (kept.once && outcome !== 'unknown') {
      this.#kept.delete(lease);
      return;
    }
    let waitMs = term.ttlMs / 3;
    if (outcome === 'unknown') waitMs = this.#retryMs(lease);
    else if (term.countedFrom < sentAt) waitMs = untilRenewal(lease, sentAt);
    const { once } = kept;
    this.#schedule({
      lease,
      once,
      dueAt: Instant.plus(outcome === 'unknown' ? this.#calls.clock.now() : sentAt, waitMs),
    });
  }

  /** Quicker than the usual rhythm, since part of the lease is gone already. */
  #retryMs(lease: HeldLease): number {
    return Math.min(500, lease.hold.ttlMs / 12);
  }
}

/**
 * A third of the TTL after it began to count, so that two thirds are always left where answers come in time. A grant that
 * counts from long ago is renewed soon, and again: each renewal of it may confirm a little more.
 */
function untilRenewal(lease: HeldLease, now: Instant): number {
  const ageMs = validity(now, lease.ttlMs) - lease.validUntil;
  return Math.max(lease.ttlMs / 20, lease.ttlMs / 3 - ageMs);
}
