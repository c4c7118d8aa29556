/**
 * The leases of one backend object: one for all locks of the same TTL, so that one call keeps a thousand locks alive.
 *
 * That has a price, which is paid here: whatever renews the lease for one lock prolongs the keys of all others on it,
 * also of those whose holder does not renew any more. So each place on a lease has a time of its own (`keptUntil`), and
 * a key whose time is over is deleted when the lease lives on.
 *
 * @module
 */
import { type Clock, Instant } from '../../core/clock.ts';
import type { EtcdClient } from './client.ts';
import type { Place, SharedLease } from './place.ts';

export interface LeaseEvents {
  /** The lease is gone at etcd, and all keys on it. */
  gone(lease: SharedLease): void;
  /** The time of this place is over, while its lease lives on. */
  overdue(place: Place): void;
}

/** A renewal is as good as new for this share of the TTL: half of the time between two renewals of one lock. */
const SHARED = 1 / 6;

export class Leases {
  readonly #client: EtcdClient;
  readonly #clock: Clock;
  readonly #events: LeaseEvents;
  /** The lease that new locks get, by the TTL in seconds that was asked for. */
  readonly #current: Map<number, SharedLease> = new Map();
  readonly #all: Set<SharedLease> = new Set();
  readonly #granting: Map<number, Promise<SharedLease>> = new Map();
  readonly #freshening: Map<SharedLease, Promise<boolean>> = new Map();

  constructor(client: EtcdClient, clock: Clock, events: LeaseEvents) {
    this.#client = client;
    this.#clock = clock;
    this.#events = events;
  }

  /** A lease that lives, as far as we know, of at least this TTL. */
  lease(ttlMs: number, deadline: Instant): SharedLease | Promise<SharedLease> {
    const ttlS = Math.ceil(ttlMs / 1000);
    const current = this.#current.get(ttlS);
    if (current !== undefined && !current.gone && !current.retired && this.#isAlive(current)) return current;
    let granting = this.#granting.get(ttlS);
    if (granting === undefined) {
      granting = this.#grant(ttlS, deadline).finally(() => this.#granting.delete(ttlS));
      this.#granting.set(ttlS, granting);
    }
    return granting;
  }

  /**
   * Renews the lease for some of its locks, and says whether it is still there; those who come shortly after share in
   * it. `renewedAt` says from when the TTL counts. Rejects if there was no answer.
   */
  renew(lease: SharedLease, deadline: Instant): Promise<boolean> {
    const isFresh = this.#clock.now() - lease.renewedAt < lease.ttlMs * SHARED;
    return isFresh && !lease.gone ? Promise.resolve(true) : this.#keepAlive(lease, deadline);
  }

  async #keepAlive(lease: SharedLease, deadline: Instant): Promise<boolean> {
    if (lease.gone) return false;
    const sentAt = this.#clock.now();
    const { ttlS } = await this.#client.keepAlive(lease.id, deadline);
    if (ttlS <= 0) {
      this.lost(lease);
      return false;
    }
    lease.renewedAt = Instant.latest(lease.renewedAt, sentAt);
    this.#sweep(lease);
    return true;
  }

  /** Renews a lease of which a quarter is over; many who ask at once share one call. Never rejects. */
  async freshen(lease: SharedLease, deadline: Instant): Promise<void> {
    if (this.#clock.now() - lease.renewedAt < lease.ttlMs / 4) return;
    let freshening = this.#freshening.get(lease);
    if (freshening === undefined) {
      freshening = this.#keepAlive(lease, deadline)
        .catch(() => true) // no news: what the lease is good for is counted from the last answer
        .finally(() => this.#freshening.delete(lease));
      this.#freshening.set(lease, freshening);
    }
    await freshening;
  }

  /** What etcd has said about a lease: it is not there any more. */
  lost(lease: SharedLease): void {
    if (lease.gone) return;
    this.#forget(lease);
    this.#events.gone(lease);
  }

  /** Ends all leases, as far as etcd can be reached, so that nothing has to run out. */
  async close(deadline: Instant): Promise<void> {
    const leases = [...this.#all];
    for (const lease of leases) this.#forget(lease);
    await Promise.all(leases.map((lease) => this.#client.revoke(lease.id, deadline).catch(() => undefined)));
  }

  async #grant(ttlS: number, deadline: Instant): Promise<SharedLease> {
    const sentAt = this.#clock.now();
    const granted = await this.#client.grant(ttlS, deadline);
    const lease: SharedLease = {
      id: granted.id,
      ttlMs: granted.ttlS * 1000,
      renewedAt: sentAt,
      retired: false,
      gone: false,
      places: new Set(),
      keys: new Set(),
      cancelSweep: () => undefined,
    };
    for (const old of this.#all) if (old.places.size === 0 && !this.#isAlive(old)) this.#forget(old);
    this.#current.set(ttlS, lease);
    this.#all.add(lease);
    return lease;
  }

  #isAlive(lease: SharedLease): boolean {
    return this.#clock.now() - lease.renewedAt < lease.ttlMs * 0.9;
  }

  #forget(lease: SharedLease): void {
    lease.gone = true;
    lease.cancelSweep();
    this.#all.delete(lease);
    for (const [ttlS, current] of this.#current) if (current === lease) this.#current.delete(ttlS);
  }

  /** Ends the places whose time is over, and comes again when the next one's is. */
  #sweep(lease: SharedLease): void {
    lease.cancelSweep();
    if (lease.gone) return;
    const now = this.#clock.now();
    let next = Number.POSITIVE_INFINITY as Instant;
    for (const place of [...lease.places]) {
      if (place.endings > 0) continue;
      if (place.keptUntil <= now) this.#events.overdue(place);
      else next = Instant.earliest(next, place.keptUntil);
    }
    // Later than that the lease itself is over, and nothing is left to end.
    const leaseEnds = Instant.plus(lease.renewedAt, lease.ttlMs);
    if (next >= leaseEnds) return;
    lease.cancelSweep = this.#clock.callAt(next, () => this.#sweep(lease), { keepAlive: false });
  }
}
