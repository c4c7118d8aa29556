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
import { BackendUnavailableError, type LossReason } from '../../core/errors.ts';
import { type ClientOptions, EtcdClient } from './client.ts';
import { lineOf, type Standing, standing, standingIn } from './contenders.ts';
import { isLeaseGone } from './failures.ts';
import { contentOf, isContender, keyOf, nameOfLock, reportOf, tombstoneOf } from './keys.ts';
import { Leases, type SharedLease } from './leases.ts';
import type { KeyValue } from './messages.ts';
import type { Place } from './place.ts';
import * as transactions from './transactions.ts';
import { Watches, type WatchNews } from './watches.ts';

/** How long work in the background may take, and the revocation of leases at the end. */
const BACKGROUND_MS = 2_000;

/** A waiter whose watch has broken asks within this time, at random, so that many do not ask at once. */
const AFTER_GAP_MS = 300;

/** No lease runs this long: during an election etcd may answer with a number that means nothing. */
const LONGEST_TTL_S = 10 ** 9;

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
  readonly #settings: BackendSettings;
  readonly #leases: Leases;
  readonly #watches: Watches;
  readonly #places: Map<OwnerId, Place> = new Map();
  /** Owners that were withdrawn before they had a place, and until when that must be remembered. */
  readonly #refused: Map<OwnerId, Instant> = new Map();
  readonly #wakes: Map<OwnerId, () => void> = new Map();
  readonly #lossCallbacks: Set<(owner: OwnerId, reason: LossReason | 'at-risk') => void> = new Set();
  #closed: Promise<void> | undefined;

  constructor(settings: BackendSettings) {
    this.#settings = settings;
    this.#clock = settings.clock;
    this.#client = new EtcdClient(settings);
    this.#watches = new Watches(this.#client);
    this.#leases = new Leases(this.#client, this.#clock, {
      gone: (lease) => this.#leaseGone(lease),
      overdue: (place) => this.#overdue(place),
    });
  }

  async tryAcquire(request: AcquireRequest, deadline: Instant): Promise<Granted | Busy> {
    const refused: Busy = { outcome: 'busy' };
    return this.#withPlace<Granted | Busy>(request, deadline, { refused, mayEnter: true }, async (place) => {
      if (place.createRevision === undefined) {
        const answer = await this.#client.transaction('a try', transactions.enterIfFree(place), deadline);
        if (answer.succeeded) return this.#grant(place, answer.revision);
        const [own, first] = answer.ranges.map(([key]) => key);
        if (own === undefined && first !== undefined && !isContender(place.name, first)) {
          return this.#tryAmongOthers(place, deadline);
        }
        if (own === undefined || own.value !== place.value) {
          this.#remove(place);
          return { outcome: 'busy' };
        }
        place.createRevision = own.createRevision;
      }
      const answer = await this.#look(place, place.createRevision, deadline);
      if (answer.outcome === 'granted') return answer;
      await this.#leave(place, deadline);
      return { outcome: 'busy' };
    });
  }

  async queue(step: 'enter' | 'stay', request: AcquireRequest, deadline: Instant): Promise<Granted | Waiting | Gone> {
    const refused: Gone = { outcome: 'gone' };
    const mayEnter = step === 'enter';
    if (!mayEnter && !this.#places.has(request.owner)) return refused;
    return this.#withPlace<Granted | Waiting | Gone>(request, deadline, { refused, mayEnter }, (place) =>
      place.createRevision === undefined
        ? this.#enter(place, deadline)
        : this.#look(place, place.createRevision, deadline),
    );
  }

  async renew(holds: readonly Hold[], deadline: Instant): Promise<readonly RenewAnswer[]> {
    const byLease = new Map<SharedLease, Place[]>();
    for (const { owner } of holds) {
      const place = this.#places.get(owner);
      if (place === undefined || place.withdrawn) continue;
      const places = byLease.get(place.lease);
      if (places === undefined) byLease.set(place.lease, [place]);
      else places.push(place);
    }
    const answers = new Map<OwnerId, RenewAnswer>();
    await Promise.all([...byLease].map(([lease, places]) => this.#renewOnLease(lease, places, deadline, answers)));
    return holds.map(({ owner }) => answers.get(owner) ?? 'lost');
  }

  async release({ owner }: Hold, deadline: Instant): Promise<ReleaseAnswer> {
    const place = this.#places.get(owner);
    if (place === undefined || place.withdrawn) return 'not-held';
    return (await this.#leave(place, deadline)) ? 'released' : 'not-held';
  }

  async withdraw(hold: Hold, { mayArriveLate }: { readonly mayArriveLate: boolean }, deadline: Instant): Promise<void> {
    const place = this.#places.get(hold.owner);
    if (mayArriveLate) this.#refuse(hold);
    if (place === undefined) return; // whatever is still under way for it here finds that it is refused
    place.withdrawn ||= mayArriveLate;
    place.stopWatching();
    if (mayArriveLate) place.lease.retired = true; // so that it ends, and the tombstone with it
    const transaction = mayArriveLate ? transactions.withdraw(place) : transactions.leave(place);
    const leaving = this.#client.transaction('a withdrawal', transaction, deadline);
    await this.#whileEnding(place, leaving).catch((error: unknown) => {
      if (!isLeaseGone(error)) throw error;
      this.#leases.lost(place.lease);
    });
    this.#remove(place);
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

  async inspect(name: string, deadline: Instant): Promise<LockReport> {
    const { line } = await lineOf(this.#client, this.#fullName(name), deadline, { keysOnly: false });
    const [holder, ...waiters] = line;
    return {
      name,
      holder: holder === undefined ? null : await this.#holderReport(holder, deadline),
      waiters: waiters.map((waiter) => {
        const { foreign, ...report } = reportOf(waiter);
        return report;
      }),
    };
  }

  /** Reads the names of all keys that begin with the prefix: on an etcd that has many others, give it one. */
  async list(deadline: Instant): Promise<readonly LockReport[]> {
    const { keyPrefix } = this.#settings;
    const names = new Set<string>();
    let from = keyPrefix === '' ? '\0' : keyPrefix;
    for (let more = true; more; ) {
      const end = keyPrefix === '' ? '\0' : afterAll(keyPrefix);
      const page = await this.#client.range({ key: from, rangeEnd: end, limit: 1_000, keysOnly: true }, deadline);
      for (const key of page.kvs) {
        const name = nameOfLock(key);
        if (name?.startsWith(keyPrefix)) names.add(name.slice(keyPrefix.length));
      }
      more = page.more;
      from = `${page.kvs.at(-1)?.key}\0`;
    }
    const reports = await Promise.all([...names].sort().map((name) => this.inspect(name, deadline)));
    return reports.filter(({ holder, waiters }) => holder !== null || waiters.length > 0);
  }

  async breakLock(
    name: string,
    deadline: Instant,
  ): Promise<{ readonly broken: LockReport['holder']; readonly raiseTo: bigint }> {
    for (;;) {
      const { line, revision } = await lineOf(this.#client, this.#fullName(name), deadline, { keysOnly: false });
      const [holder] = line;
      if (holder === undefined) return { broken: null, raiseTo: revision };
      const broken = await this.#holderReport(holder, deadline);
      const answer = await this.#client.transaction(
        'a break',
        transactions.expel(holder.key, holder.createRevision),
        deadline,
      );
      // The next in line came after the holder, so its token is at least this.
      if (answer.succeeded) return { broken, raiseTo: holder.createRevision + 1n };
    }
  }

  /** What must be so at etcd as long as this owner has the lock: for a transaction of your own. See `heldClause`. */
  holdOf(owner: OwnerId): { readonly key: string; readonly createRevision: bigint } | undefined {
    const place = this.#places.get(owner);
    if (place?.createRevision === undefined || !place.held || place.withdrawn) return undefined;
    return { key: place.key, createRevision: place.createRevision };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#watches.close();
    await this.#leases.close(Instant.plus(this.#clock.now(), BACKGROUND_MS));
    this.#client.close();
    this.#places.clear();
    this.#wakes.clear();
    this.#lossCallbacks.clear();
  }

  /** Does something with the place of an owner, and once more on a new lease where the old one is gone. */
  async #withPlace<Answer>(
    request: AcquireRequest,
    deadline: Instant,
    { refused, mayEnter }: { readonly refused: Answer; readonly mayEnter: boolean },
    step: (place: Place) => Promise<Answer>,
  ): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      const lease = this.#places.get(request.owner)?.lease ?? this.#leases.lease(request.ttlMs, deadline);
      const place = this.#placeOn(lease instanceof Promise ? await lease : lease, request);
      // While we waited for a lease, the caller may have given up.
      if (place === undefined) return refused;
      if (this.#clock.now() >= deadline) throw tooLate();
      place.keptUntil = Instant.plus(this.#clock.now(), place.lease.ttlMs);
      const fresh = this.#leases.freshen(place.lease, deadline);
      try {
        const answer = await step(place);
        await fresh;
        // By the time of the answer the owner may have been withdrawn, or its lease may have turned out to be gone.
        if (!place.withdrawn && !place.lease.gone) return this.#recounted(answer, place);
        if (place.withdrawn || !mayEnter || attempt === 1) return refused;
      } catch (error) {
        if (!isLeaseGone(error)) throw error;
        this.#leases.lost(place.lease);
        if (!mayEnter) return refused;
        if (attempt === 1) throw tooLate();
      }
      this.#remove(place);
    }
  }

  /** A grant counts from the last renewal of its lease, which may have been answered meanwhile. */
  #recounted<Answer>(answer: Answer, place: Place): Answer {
    if (typeof answer !== 'object' || answer === null || !('countedFrom' in answer)) return answer;
    return { ...answer, countedFrom: place.lease.renewedAt };
  }

  #placeOn(lease: SharedLease, request: AcquireRequest): Place | undefined {
    const known = this.#places.get(request.owner);
    if (known !== undefined) return known.withdrawn ? undefined : known;
    if (this.#refused.has(request.owner)) return undefined;
    const name = this.#fullName(request.name);
    // The same keys again and again: etcd's index keeps each that there ever was until it is compacted.
    let number = 1;
    while (lease.keys.has(keyOf(name, lease.id, number))) number++;
    const place: Place = {
      owner: request.owner,
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
      stopWatching: () => undefined,
    };
    this.#places.set(place.owner, place);
    lease.places.add(place);
    lease.keys.add(place.key);
    return place;
  }

  async #enter(place: Place, deadline: Instant): Promise<Granted | Waiting | Gone> {
    const answer = await this.#client.transaction('an acquire', transactions.enter(place), deadline);
    if (!answer.succeeded) {
      const own = answer.ranges[0]?.[0];
      if (own?.value === place.value) {
        place.createRevision = own.createRevision; // an earlier request of ours, whose answer was lost
        return this.#look(place, own.createRevision, deadline);
      }
      this.#remove(place);
      place.lease.keys.add(place.key); // somebody else's, or withdrawn: not to be tried again
      return { outcome: 'gone' };
    }
    place.createRevision = answer.revision;
    const first = answer.ranges[1]?.[0];
    const before = answer.ranges[2]?.find(({ createRevision }) => createRevision < answer.revision);
    return this.#stand(
      place,
      answer.revision,
      answer.revision,
      standing(place.name, answer.revision, first, before),
      deadline,
    );
  }

  /** Reads where the place stands. What is not there any more, or was made anew by somebody, is gone. */
  async #look(place: Place, createRevision: bigint, deadline: Instant): Promise<Granted | Waiting | Gone> {
    const { ranges, revision } = await this.#client.transaction(
      'a wait',
      transactions.look(place, createRevision),
      deadline,
    );
    const [own, first, before] = ranges.map(([key]) => key);
    if (own?.createRevision !== createRevision) {
      this.#remove(place);
      return { outcome: 'gone' };
    }
    return this.#stand(place, createRevision, revision, standing(place.name, createRevision, first, before), deadline);
  }

  /** The first has the lock; the others watch the one before them. */
  async #stand(
    place: Place,
    createRevision: bigint,
    revision: bigint,
    found: Standing | undefined,
    deadline: Instant,
  ): Promise<Granted | Waiting> {
    const { first, before } =
      found ??
      standingIn((await lineOf(this.#client, place.name, deadline, { keysOnly: true, revision })).line, createRevision);
    if (first === undefined || before === undefined) return this.#grant(place, createRevision);
    place.stopWatching();
    if (!place.withdrawn) {
      place.stopWatching = this.#watches.watch(before.key, revision + 1n, (news) => this.#news(place, news));
    }
    return { outcome: 'waiting', lastToken: first.createRevision };
  }

  #grant(place: Place, createRevision: bigint): Granted {
    place.stopWatching();
    place.createRevision = createRevision;
    place.held = true;
    const { ttlMs, renewedAt } = place.lease;
    return { outcome: 'granted', ttlMs, fencingToken: createRevision, countedFrom: renewedAt };
  }

  /** A try where the folder has keys of locks whose names go on from ours: enter, look, and leave if somebody is ahead. */
  async #tryAmongOthers(place: Place, deadline: Instant): Promise<Granted | Busy> {
    const answer = await this.#enter(place, deadline);
    if (answer.outcome === 'granted') return answer;
    await this.#leave(place, deadline);
    return { outcome: 'busy' };
  }

  /** Gives a place back. False: etcd had it no more. */
  async #leave(place: Place, deadline: Instant): Promise<boolean> {
    place.stopWatching();
    const leaving = this.#client.transaction('a release', transactions.leave(place), deadline);
    const { succeeded } = await this.#whileEnding(place, leaving);
    this.#remove(place);
    return succeeded;
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
        // A leader that hangs goes on answering renewals of leases that its successor has ended. It cannot answer a read.
        const found = await this.#client
          .transaction('a renewal', transactions.check(chunk), deadline)
          .catch(() => undefined);
        const renewed = await renewing;
        for (const [index, place] of chunk.entries()) {
          const isThere = found?.ranges[index]?.[0]?.createRevision === place.createRevision;
          if (renewed === false || (found !== undefined && !isThere)) {
            answers.set(place.owner, 'lost');
            this.#remove(place);
          } else {
            const { ttlMs, renewedAt: countedFrom } = lease;
            const isKnown = renewed !== undefined && found !== undefined;
            answers.set(place.owner, isKnown ? { outcome: 'renewed', ttlMs, countedFrom } : 'unknown');
          }
        }
      }),
    );
  }

  #news({ owner }: Place, news: WatchNews): void {
    const wake = (): void => this.#wakes.get(owner)?.();
    if (news === 'deleted') {
      wake();
      return;
    }
    const at = Instant.plus(this.#clock.now(), this.#settings.random() * AFTER_GAP_MS);
    this.#clock.callAt(at, wake, { keepAlive: false });
  }

  #leaseGone(lease: SharedLease): void {
    for (const place of lease.places) {
      this.#remove(place);
      if (place.held) for (const callback of this.#lossCallbacks) callback(place.owner, 'taken');
      else this.#wakes.get(place.owner)?.();
    }
  }

  /** Nobody asks for a place any more, whatever becomes of this call: if it fails, renewals of the lease try again. */
  async #whileEnding<Answer>(place: Place, call: Promise<Answer>): Promise<Answer> {
    place.keptUntil = this.#clock.now();
    place.endings++;
    try {
      return await call;
    } finally {
      place.endings--;
    }
  }

  /** Its owner has not asked for it in time, while others keep its lease alive. */
  #overdue(place: Place): void {
    place.stopWatching();
    const deadline = Instant.plus(this.#clock.now(), BACKGROUND_MS);
    const leaving = this.#client.transaction('the end of a lock', transactions.leave(place), deadline);
    this.#whileEnding(place, leaving).then(
      () => this.#remove(place),
      () => undefined, // the next renewal of the lease tries again
    );
  }

  #remove(place: Place): void {
    place.stopWatching();
    place.lease.places.delete(place);
    if (!place.withdrawn) place.lease.keys.delete(place.key);
    if (this.#places.get(place.owner) === place) this.#places.delete(place.owner);
  }

  #refuse({ owner, ttlMs }: Hold): void {
    const now = this.#clock.now();
    for (const [each, until] of this.#refused) {
      if (until > now) break;
      this.#refused.delete(each);
    }
    this.#refused.set(owner, Instant.plus(now, 2 * ttlMs));
  }

  #fullName(name: string): string {
    return this.#settings.keyPrefix + name;
  }

  async #holderReport(key: KeyValue, deadline: Instant): Promise<LockReport['holder']> {
    const report = { ...reportOf(key), fencingToken: key.createRevision };
    if (key.lease === 0n) return { ...report, remainingMs: undefined };
    const { ttlS } = await this.#client.timeToLive(key.lease, deadline);
    return { ...report, remainingMs: ttlS > LONGEST_TTL_S ? undefined : Math.max(0, ttlS * 1000) };
  }
}

function tooLate(): BackendUnavailableError {
  return new BackendUnavailableError('etcd gave no lease in time, so that the lock was not asked for.');
}

/** The first key after all that begin with this text. */
function afterAll(prefix: string): Buffer {
  const end = Buffer.from(prefix);
  for (let at = end.length - 1; at >= 0; at--) {
    const byte = end[at] as number;
    if (byte < 0xff) {
      end[at] = byte + 1;
      return end.subarray(0, at + 1);
    }
  }
  return Buffer.of(0);
}

function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
  const chunks: Item[][] = [];
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size));
  return chunks;
}
