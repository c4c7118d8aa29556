import type {
  AcquireRequest,
  Backend,
  Breaks,
  Busy,
  Fences,
  Gone,
  Granted,
  Guarantee,
  Hold,
  Inspects,
  LockReport,
  Notifies,
  OwnerId,
  Queues,
  ReleaseAnswer,
  RenewAnswer,
  Renews,
  ReportsLoss,
  Waiting,
  Withdraws,
} from '../../core/backend.ts';
import { type Clock, Instant } from '../../core/clock.ts';
import type { LossReason } from '../../core/errors.ts';
import { type ClientOptions, EtcdClient } from './client.ts';
import { dataInTheWay, isLeaseGone } from './failures.ts';
import { Inquiry } from './inquiry.ts';
import { isData, isInLine } from './keys.ts';
import { Leases } from './leases.ts';
import { Line } from './line.ts';
import type { Place, SharedLease } from './place.ts';
import { Places, stopWatching } from './places.ts';
import { Renewal } from './renewal.ts';
import { Steps } from './steps.ts';
import * as transactions from './transactions.ts';

/** How long work in the background may take, and the revocation of leases at the end. */
const BACKGROUND_MS = 2_000;

export interface BackendSettings extends ClientOptions {
  readonly keyPrefix: string;
  readonly random: () => number;
}

export class EtcdBackend
  implements Backend, Fences, Renews, Queues, Withdraws, Notifies, ReportsLoss, Inspects, Breaks
{
  readonly id = 'etcd';
  readonly tokenSource = 'etcd create revision';
  readonly guarantee: Guarantee = {
    liveness: 'after-up-to-two-ttl', // a new leader begins to count all leases anew
    survivesFailover: 'yes',
    clockAssumption: 'the monotonic clock of the leader and that of the holder run at the same rate, within 1 %',
    fencing: 'counter',
    fairness: 'first-come-first-served',
  };
  readonly #client: EtcdClient;
  readonly #clock: Clock;
  readonly #leases: Leases;
  readonly #places: Places;
  readonly #steps: Steps;
  readonly #line: Line;
  readonly #renewal: Renewal;
  readonly #inquiry: Inquiry;
  readonly #wakes: Map<OwnerId, () => void> = new Map();
  readonly #lossCallbacks: Set<(owner: OwnerId, reason: LossReason | 'at-risk') => void> = new Set();
  #closed: Promise<void> | undefined;

  constructor(settings: BackendSettings) {
    const { clock, random, keyPrefix } = settings;
    const client = new EtcdClient(settings);
    const places = new Places(clock, keyPrefix);
    this.#clock = clock;
    this.#client = client;
    this.#places = places;
    this.#leases = new Leases(client, clock, {
      gone: (lease) => this.#leaseGone(lease),
      overdue: (place) => this.#overdue(place),
    });
    this.#steps = new Steps({ clock, leases: this.#leases, places });
    this.#line = new Line({ client, clock, random, places, wake: (owner) => this.#wakes.get(owner)?.() });
    this.#renewal = new Renewal({ client, clock, places, leases: this.#leases });
    this.#inquiry = new Inquiry(client, keyPrefix);
  }

  async tryAcquire(request: AcquireRequest, deadline: Instant): Promise<Granted | Busy> {
    const refused: Busy = { outcome: 'busy' };
    return this.#steps.take<Granted | Busy>(request, deadline, { refused, mayEnter: true }, async (place) => {
      if (place.createRevision === undefined) {
        const answer = await this.#client.transaction('a try', transactions.enterIfFree(place), deadline);
        if (answer.succeeded) return this.#line.grant(place, answer.revision);
        const [own, first] = answer.ranges.map(([key]) => key);
        if (own === undefined && first !== undefined) {
          if (!isInLine(place.name, first)) return this.#tryAmongOthers(place, deadline);
          if (isData(first)) {
            this.#places.forget(place);
            throw dataInTheWay(place.lockName, first.key);
          }
        }
        if (own === undefined || own.value !== place.value) {
          this.#places.forget(place);
          return { outcome: 'busy' };
        }
        place.createRevision = own.createRevision;
      }
      const answer = await this.#line.look(place, place.createRevision, deadline);
      if (answer.outcome === 'granted') return answer;
      await this.#line.leave(place, deadline);
      return { outcome: 'busy' };
    });
  }

  async queue(step: 'enter' | 'stay', request: AcquireRequest, deadline: Instant): Promise<Granted | Waiting | Gone> {
    const refused: Gone = { outcome: 'gone' };
    const mayEnter = step === 'enter';
    if (!mayEnter && this.#places.of(request.owner) === undefined) return refused;
    return this.#steps.take<Granted | Waiting | Gone>(request, deadline, { refused, mayEnter }, (place) =>
      place.createRevision === undefined
        ? this.#line.enter(place, deadline)
        : this.#line.look(place, place.createRevision, deadline),
    );
  }

  renew(holds: readonly Hold[], deadline: Instant): Promise<readonly RenewAnswer[]> {
    return this.#renewal.renew(holds, deadline);
  }

  async release({ owner }: Hold, deadline: Instant): Promise<ReleaseAnswer> {
    const place = this.#places.of(owner);
    if (place === undefined || place.withdrawn) return 'not-held';
    return (await this.#line.leave(place, deadline)) ? 'released' : 'not-held';
  }

  async withdraw(hold: Hold, { mayArriveLate }: { readonly mayArriveLate: boolean }, deadline: Instant): Promise<void> {
    const place = this.#places.of(hold.owner);
    if (mayArriveLate) this.#places.refuse(hold);
    if (place === undefined) return; // whatever is still under way for it here finds that it is refused
    place.withdrawn ||= mayArriveLate;
    stopWatching(place);
    if (mayArriveLate) place.lease.retired = true; // so that it ends, and the tombstone with it
    const transaction = mayArriveLate ? transactions.withdraw(place) : transactions.leave(place);
    const leaving = this.#client.transaction('a withdrawal', transaction, deadline);
    await this.#line.whileEnding(place, leaving).catch((error: unknown) => {
      if (!isLeaseGone(error)) throw error;
      this.#leases.lost(place.lease);
    });
    this.#places.forget(place);
  }

  listen({ owner }: AcquireRequest, wake: (granted?: Granted) => void): () => void {
    const wakeOne = (): void => wake();
    this.#wakes.set(owner, wakeOne);
    return () => {
      if (this.#wakes.get(owner) === wakeOne) this.#wakes.delete(owner);
    };
  }

  onLoss(callback: (owner: OwnerId, reason: LossReason | 'at-risk') => void): () => void {
    this.#lossCallbacks.add(callback);
    return () => this.#lossCallbacks.delete(callback);
  }

  inspect(name: string, deadline: Instant): Promise<LockReport> {
    return this.#inquiry.inspect(name, deadline);
  }

  /** Reads the names of all keys that begin with the prefix: on an etcd that has many others, give it one. */
  list(deadline: Instant): Promise<readonly LockReport[]> {
    return this.#inquiry.list(deadline);
  }

  breakLock(
    name: string,
    deadline: Instant,
  ): Promise<{ readonly broken: LockReport['holder']; readonly raiseTo: bigint }> {
    return this.#inquiry.breakLock(name, deadline);
  }

  /** What must be so at etcd as long as this owner has the lock: for a transaction of your own. See `heldClause`. */
  holdOf(owner: OwnerId): { readonly key: string; readonly createRevision: bigint } | undefined {
    const place = this.#places.of(owner);
    if (place?.createRevision === undefined || !place.held || place.withdrawn) return undefined;
    return { key: place.key, createRevision: place.createRevision };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#line.close();
    await this.#leases.close(Instant.plus(this.#clock.now(), BACKGROUND_MS));
    this.#client.close();
    this.#places.clear();
    this.#wakes.clear();
    this.#lossCallbacks.clear();
  }

  /** A try where the folder has keys of locks whose names go on from ours: enter, look, and leave if somebody is ahead. */
  async #tryAmongOthers(place: Place, deadline: Instant): Promise<Granted | Busy> {
    const answer = await this.#line.enter(place, deadline);
    if (answer.outcome === 'granted') return answer;
    await this.#line.leave(place, deadline);
    return { outcome: 'busy' };
  }

  #leaseGone(lease: SharedLease): void {
    for (const place of lease.places) {
      this.#places.forget(place);
      if (place.held) for (const callback of this.#lossCallbacks) callback(place.owner, 'taken');
      else this.#wakes.get(place.owner)?.();
    }
  }

  /** Its owner has not asked for it in time, while others keep its lease alive. */
  #overdue(place: Place): void {
    stopWatching(place);
    const deadline = Instant.plus(this.#clock.now(), BACKGROUND_MS);
    const leaving = this.#client.transaction('the end of a lock', transactions.leave(place), deadline);
    this.#line.whileEnding(place, leaving).then(
      () => this.#places.forget(place),
      () => undefined, // the next renewal of the lease tries again
    );
  }
}
