/**
 * How an owner takes a step at etcd: on a lease, at a place, and once more on a new lease where the old one turns out to be
 * gone.
 *
 * @module
 */
import type { AcquireRequest } from '../../core/backend.ts';
import { type Clock, Instant } from '../../core/clock.ts';
import { BackendUnavailableError } from '../../core/errors.ts';
import { isLeaseGone } from './failures.ts';
import type { Leases } from './leases.ts';
import type { Place } from './place.ts';
import type { Places } from './places.ts';

export interface StepsOptions {
  readonly clock: Clock;
  readonly leases: Leases;
  readonly places: Places;
}

export interface StepTerms<Answer> {
  /** What is answered to an owner who has given up meanwhile, or whose lease is gone for good. */
  readonly refused: Answer;
  /** Whether the step may take a new place. One that has only a place to keep is refused without it. */
  readonly mayEnter: boolean;
}

export class Steps {
  readonly #clock: Clock;
  readonly #leases: Leases;
  readonly #places: Places;

  constructor({ clock, leases, places }: StepsOptions) {
    this.#clock = clock;
    this.#leases = leases;
    this.#places = places;
  }

  async take<Answer>(
    request: AcquireRequest,
    deadline: Instant,
    { refused, mayEnter }: StepTerms<Answer>,
    step: (place: Place) => Promise<Answer>,
  ): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      const lease = this.#places.of(request.owner)?.lease ?? this.#leases.lease(request.ttlMs, deadline);
      const place = this.#places.make(lease instanceof Promise ? await lease : lease, request);
      // While we waited for a lease, the caller may have given up.
      if (place === undefined) return refused;
      if (this.#clock.now() >= deadline) throw tooLate();
      place.keptUntil = Instant.plus(this.#clock.now(), place.lease.ttlMs);
      const fresh = this.#leases.freshen(place.lease, deadline);
      try {
        const answer = await step(place);
        await fresh;
        // By the time of the answer the owner may have been withdrawn, or its lease may have turned out to be gone.
        if (!place.withdrawn && !place.lease.gone) return recounted(answer, place);
        if (place.withdrawn || !mayEnter || attempt === 1) return refused;
      } catch (error) {
        if (!isLeaseGone(error)) throw error;
        this.#leases.lost(place.lease);
        if (!mayEnter) return refused;
        if (attempt === 1) throw tooLate();
      }
      this.#places.forget(place);
    }
  }
}

/** A grant counts from the last renewal of its lease, which may have been answered meanwhile. */
function recounted<Answer>(answer: Answer, place: Place): Answer {
  if (typeof answer !== 'object' || answer === null || !('countedFrom' in answer)) return answer;
  return { ...answer, countedFrom: place.lease.renewedAt };
}

function tooLate(): BackendUnavailableError {
  return new BackendUnavailableError('etcd gave no lease in time, so that the lock was not asked for.');
}
