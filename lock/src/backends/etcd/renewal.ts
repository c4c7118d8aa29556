/**
 * Renewal of many locks at once: one call for each lease, and with it a read of the keys.
 *
 * A leader that hangs goes on answering renewals of leases that its successor has ended. It cannot answer a read, so that
 * only both together are a renewal.
 *
 * @module
 */
import type { Hold, OwnerId, RenewAnswer } from '../../core/backend.ts';
import { type Clock, Instant } from '../../core/clock.ts';
import type { EtcdClient } from './client.ts';
import type { Leases } from './leases.ts';
import type { Place, SharedLease } from './place.ts';
import type { Places } from './places.ts';
import * as transactions from './transactions.ts';

export class Renewal {
  readonly #client: EtcdClient;
  readonly #clock: Clock;
  readonly #leases: Leases;
  readonly #places: Places;

  constructor(use: {
    readonly client: EtcdClient;
    readonly clock: Clock;
    readonly leases: Leases;
    readonly places: Places;
  }) {
    this.#client = use.client;
    this.#clock = use.clock;
    this.#leases = use.leases;
    this.#places = use.places;
  }

  async renew(holds: readonly Hold[], deadline: Instant): Promise<readonly RenewAnswer[]> {
    const byLease = new Map<SharedLease, Place[]>();
    for (const { owner } of holds) {
      const place = this.#places.of(owner);
      if (place === undefined || place.withdrawn) continue;
      const places = byLease.get(place.lease);
      if (places === undefined) byLease.set(place.lease, [place]);
      else places.push(place);
    }
    const answers = new Map<OwnerId, RenewAnswer>();
    await Promise.all([...byLease].map(([lease, places]) => this.#renewOnLease(lease, places, deadline, answers)));
    return holds.map(({ owner }) => answers.get(owner) ?? 'lost');
  }

  async #renewOnLease(
    lease: SharedLease,
    places: readonly Place[],
    deadline: Instant,
    answers: Map<OwnerId, RenewAnswer>,
  ): Promise<void> {
    const keptUntil = Instant.plus(this.#clock.now(), lease.ttlMs);
    for (const place of places) place.keptUntil = keptUntil;
    const renewing = this.#leases.renew(lease, deadline).catch(() => undefined);
    await Promise.all(
      chunksOf(places, transactions.OPERATIONS_MAX).map(async (chunk) => {
        const found = await this.#client
          .transaction('a renewal', transactions.check(chunk), deadline)
          .catch(() => undefined);
        const renewed = await renewing;
        for (const [index, place] of chunk.entries()) {
          const isThere = found?.ranges[index]?.[0]?.createRevision === place.createRevision;
          if (renewed === false || (found !== undefined && !isThere)) {
            answers.set(place.owner, 'lost');
            this.#places.forget(place);
          } else {
            const { ttlMs, renewedAt: countedFrom } = lease;
            const isKnown = renewed !== undefined && found !== undefined;
            answers.set(place.owner, isKnown ? { outcome: 'renewed', ttlMs, countedFrom } : 'unknown');
          }
        }
      }),
    );
  }
}

function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
  const chunks: Item[][] = [];
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size));
  return chunks;
}
