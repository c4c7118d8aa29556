/**
 * The places that the owners of one backend object have: made, found again, forgotten, and refused to those who have
 * been withdrawn before they had one.
 *
 * @module
 */
import type { AcquireRequest, Hold, OwnerId } from '../../core/backend.ts';
import { type Clock, Instant } from '../../core/clock.ts';
import { contentOf, keyOf, tombstoneOf } from './keys.ts';
import type { Place, SharedLease } from './place.ts';

export class Places {
  readonly #clock: Clock;
  readonly #keyPrefix: string;
  readonly #places: Map<OwnerId, Place> = new Map();
  /** Owners that were withdrawn before they had a place, and until when that must be remembered. */
  readonly #refused: Map<OwnerId, Instant> = new Map();

  constructor(clock: Clock, keyPrefix: string) {
    this.#clock = clock;
    this.#keyPrefix = keyPrefix;
  }

  of(owner: OwnerId): Place | undefined {
    return this.#places.get(owner);
  }

  /** The place of this owner, made on that lease if there is none; undefined if the owner has been withdrawn. */
  make(lease: SharedLease, request: AcquireRequest): Place | undefined {
    const known = this.#places.get(request.owner);
    if (known !== undefined) return known.withdrawn ? undefined : known;
    if (this.#refused.has(request.owner)) return undefined;
    const name = this.#keyPrefix + request.name;
    // The same keys again and again: etcd's index keeps each that there ever was until it is compacted.
    let number = 1;
    while (lease.keys.has(keyOf(name, lease.id, number))) number++;
    const place: Place = {
      owner: request.owner,
      lockName: request.name,
      name,
      lease,
      key: keyOf(name, lease.id, number),
      tombstone: tombstoneOf(name, lease.id, number),
      value: contentOf(request),
      createRevision: undefined,
      held: false,
      withdrawn: false,
      keptUntil: this.#clock.now(),
      endings: 0,
      watch: undefined,
    };
    this.#places.set(place.owner, place);
    lease.places.add(place);
    lease.keys.add(place.key);
    return place;
  }

  forget(place: Place): void {
    stopWatching(place);
    place.lease.places.delete(place);
    if (!place.withdrawn) place.lease.keys.delete(place.key);
    if (this.#places.get(place.owner) === place) this.#places.delete(place.owner);
  }

  /** Whatever arrives for this owner from now on is too late. */
  refuse({ owner, ttlMs }: Hold): void {
    const now = this.#clock.now();
    for (const [each, until] of this.#refused) {
      if (until > now) break;
      this.#refused.delete(each);
    }
    this.#refused.set(owner, Instant.plus(now, 2 * ttlMs));
  }

  clear(): void {
    this.#places.clear();
  }
}

export function stopWatching(place: Place): void {
  place.watch?.stop();
  place.watch = undefined;
}
