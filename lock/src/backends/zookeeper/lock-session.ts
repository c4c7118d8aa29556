/**
 * A session and the places that hang on it. All locks of one TTL share one session: it costs one connection and one ping
 * for all of them, and ends for all of them at once.
 *
 * As long as this process lives, the session lives; so here, and not at the server, a hold ends that nobody renews, and a
 * waiter that nobody asks for any more.
 *
 * @module
 */
import type { AcquireRequest, Granted, OwnerId } from '../../core/backend.ts';
import { type Clock, Instant } from '../../core/clock.ts';
import type { ClientOptions } from './client/client.ts';
import { ZooKeeperClient } from './client/client.ts';
import type { Acl } from './client/protocol.ts';
import type { SessionTime } from './client/session-time.ts';
import { Place } from './place.ts';

/** A net below the others: a dead process's waiters go with its session, and a live one takes back what it does not want. */
const SILENT_HEARTBEATS = 10;

/** The same grant is told again as it was, unless less than this share of it is left. */
const FRESH = 1 / 2;

export interface LockSessionOptions {
  readonly client: Omit<ClientOptions, 'connection' | 'over'>;
  readonly acl: readonly Acl[];
  /** It is worth a step for this owner. */
  wake(owner: OwnerId): void;
  /** A hold is in doubt, or over. */
  lost(owner: OwnerId, reason: 'at-risk' | 'broken' | 'disconnected'): void;
  /** The session is over: a new one is needed. */
  over(session: LockSession): void;
}

export class LockSession {
  readonly client: ZooKeeperClient;
  readonly #options: LockSessionOptions;
  readonly #clock: Clock;
  readonly #places: Map<OwnerId, Place> = new Map();

  constructor(options: LockSessionOptions) {
    this.#options = options;
    this.#clock = options.client.clock;
    this.client = new ZooKeeperClient({
      ...options.client,
      connection: (isConnected) => (isConnected ? this.#goOnRemoving() : this.#doubt()),
      over: () => this.#end(),
    });
  }

  place(owner: OwnerId): Place | undefined {
    return this.#places.get(owner);
  }

  /** The place of an owner, a new one if there is none. Nothing is sent. */
  placeFor(request: AcquireRequest, directory: string): Place {
    const known = this.#places.get(request.owner);
    if (known !== undefined) return known;
    const { owner } = request;
    const place = new Place({
      client: this.client,
      request,
      directory,
      acl: this.#options.acl,
      wake: () => this.#options.wake(owner),
      broken: () => {
        this.#drop(place);
        if (place.granted === undefined) this.#options.wake(owner);
        else this.#options.lost(owner, 'broken');
      },
    });
    this.#places.set(owner, place);
    return place;
  }

  /** Somebody still wants this place, for one more TTL or some more heartbeats. */
  keep(place: Place): void {
    const { heartbeatMs } = place.request;
    const forMs = place.granted === undefined ? SILENT_HEARTBEATS * heartbeatMs : this.#time.timeoutMs;
    place.lapseAt = Instant.plus(this.#clock.now(), forMs);
    if (!this.#places.has(place.request.owner) || place.isEnding) return;
    place.cancelLapse();
    this.#watchLapse(place);
  }

  /** The first in line has the lock, for as long as the session certainly lives. */
  grant(place: Place): Granted {
    const { timeoutMs, certainFrom } = this.#time;
    const told = place.granted?.countedFrom;
    const isFresh = told !== undefined && Instant.plus(told, timeoutMs * (1 - FRESH)) > this.#clock.now();
    if (place.granted === undefined || !isFresh) {
      place.granted = { outcome: 'granted', ttlMs: timeoutMs, fencingToken: place.token, countedFrom: certainFrom };
    }
    this.keep(place);
    return place.granted;
  }

  /** In what time a new grant makes sense: 0 is now, unless the server was silent for long until a moment ago. */
  get grantableInMs(): number {
    return this.#time.grantableInMs(this.#clock.now());
  }

  /** From when on a hold of this session counts now, and for how long. */
  get term(): { readonly ttlMs: number; readonly countedFrom: Instant } {
    return { ttlMs: this.#time.timeoutMs, countedFrom: this.#time.certainFrom };
  }

  /** Removes a place. What fails goes on as soon as there is a connection, until it is done or the session is over. */
  async remove(place: Place, deadline?: Instant): Promise<boolean> {
    const wasThere = await place.remove(deadline);
    this.#drop(place);
    return wasThere;
  }

  removeInBackground(place: Place): void {
    this.remove(place).catch(() => undefined); // the next connection goes on with it
  }

  async close(deadline: Instant): Promise<void> {
    await this.client.session.close(deadline);
  }

  /** There is one since the first connection, and nothing gets here before that. */
  get #time(): SessionTime {
    return this.client.session.time as SessionTime;
  }

  #watchLapse(place: Place): void {
    place.cancelLapse = this.#clock.callAt(
      place.lapseAt,
      () => {
        if (this.#clock.now() < place.lapseAt) this.#watchLapse(place);
        else this.removeInBackground(place);
      },
      { keepAlive: false },
    );
  }

  #drop(place: Place): void {
    place.cancelLapse();
    if (this.#places.get(place.request.owner) === place) this.#places.delete(place.request.owner);
  }

  #goOnRemoving(): void {
    for (const place of this.#places.values()) if (place.isEnding) this.removeInBackground(place);
  }

  #doubt(): void {
    for (const [owner, { granted }] of this.#places) if (granted !== undefined) this.#options.lost(owner, 'at-risk');
  }

  #end(): void {
    const places = [...this.#places];
    this.#places.clear();
    this.#options.over(this);
    for (const [owner, place] of places) {
      place.cancelLapse();
      if (place.granted === undefined) this.#options.wake(owner);
      else if (!place.isEnding) this.#options.lost(owner, 'disconnected');
    }
  }
}
