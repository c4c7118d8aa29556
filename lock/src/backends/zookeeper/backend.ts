import type { ConnectionOptions as TlsOptions } from 'node:tls';
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
  Transfers,
  Waiting,
  Withdraws,
} from '../../core/backend.ts';
import { type Clock, Instant } from '../../core/clock.ts';
import { LockError, type LossReason } from '../../core/errors.ts';
import { isCode } from './client/errors.ts';
import type { ConnectString } from './client/hosts.ts';
import { CREATOR_ACL, OPEN_ACL } from './client/protocol.ts';
import type { Digest } from './client/session.ts';
import { toLockError } from './failures.ts';
import { Inquiry } from './inquiry.ts';
import type { LockSession } from './lock-session.ts';
import { toPart } from './nodes.ts';
import type { Place, Standing } from './place.ts';
import { Sessions } from './sessions.ts';

/** How long `close` waits for the servers, so that waiters elsewhere need not wait for the end of the sessions. */
const CLOSE_MS = 2_000;

/** For how long a withdrawn owner id is refused: longer than any request of it can still come. */
const TOMBSTONE_MS = 600_000;

/** The session for questions that belong to no lock, if there is no other one. */
const INQUIRY_TTL_MS = 10_000;

type LossCallback = (owner: OwnerId, reason: LossReason | 'at-risk') => void;

export interface ZooKeeperBackendSettings {
  readonly servers: ConnectString;
  readonly root: string;
  readonly digest: Digest | undefined;
  readonly tls: TlsOptions | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

export class ZooKeeperBackend
  implements Backend, Fences, Renews, Queues, Withdraws, Transfers, Notifies, ReportsLoss, Inspects, Breaks
{
  readonly id = 'zookeeper';
  readonly tokenSource = 'zookeeper czxid';
  readonly guarantee: Guarantee = {
    liveness: 'after-up-to-two-ttl',
    survivesFailover: 'yes',
    clockAssumption: 'monotonic clocks of holder and leader run at rates that differ by less than 1 %',
    fencing: 'counter',
    fairness: 'first-come-first-served',
  };
  readonly #settings: ZooKeeperBackendSettings;
  readonly #sessions: Sessions;
  readonly #wakes: Map<OwnerId, () => void> = new Map();
  readonly #lossCallbacks: Set<LossCallback> = new Set();
  readonly #tombstones: Map<OwnerId, Instant> = new Map();
  #closed: Promise<void> | undefined;

  constructor(settings: ZooKeeperBackendSettings) {
    this.#settings = settings;
    this.#sessions = new Sessions({
      ...settings,
      acl: settings.digest === undefined ? OPEN_ACL : CREATOR_ACL,
      wake: (owner) => this.#wakes.get(owner)?.(),
      lost: (owner, reason) => this.#report(owner, reason),
    });
  }

  /** The node of a lock, below the chroot: what a program in another language gives to Curator's `InterProcessMutex`. */
  pathOf(name: string): string {
    return `${this.#settings.root === '/' ? '' : this.#settings.root}/${toPart(name)}`;
  }

  tryAcquire(request: AcquireRequest, deadline: Instant): Promise<Granted | Busy> {
    return this.#guarded(request.name, async () => {
      if (this.#isRefused(request.owner)) return { outcome: 'busy' };
      const session = await this.#sessions.of(request.ttlMs, deadline);
      const place = session.placeFor(request, this.pathOf(request.name));
      const standing = await this.#step(session, place, deadline, () => place.enter(deadline));
      if (standing === 'first') return session.grant(place);
      // The answer is certain; a removal that fails now goes on in the background.
      await session.remove(place, deadline).catch(() => undefined);
      return { outcome: 'busy' };
    });
  }

  queue(step: 'enter' | 'stay', request: AcquireRequest, deadline: Instant): Promise<Granted | Waiting | Gone> {
    return this.#guarded(request.name, async () => {
      if (this.#isRefused(request.owner)) return { outcome: 'gone' };
      if (step === 'stay' && this.#sessions.find(request.owner) === undefined) return { outcome: 'gone' };
      const session = this.#sessions.find(request.owner)?.session ?? (await this.#sessions.of(request.ttlMs, deadline));
      const place = session.placeFor(request, this.pathOf(request.name));
      session.keep(place);
      const ask = () => (step === 'enter' ? place.enter(deadline) : place.stay(deadline));
      return this.#answer(session, place, await this.#step(session, place, deadline, ask));
    });
  }

  async renew(holds: readonly Hold[], deadline: Instant): Promise<readonly RenewAnswer[]> {
    const bySession = new Map<LockSession, Promise<void>>();
    const confirmed = (session: LockSession): Promise<void> => {
      let answer = bySession.get(session);
      if (answer === undefined) {
        answer = this.#confirm(session, deadline);
        bySession.set(session, answer);
      }
      return answer;
    };
    const answers = holds.map(async (hold): Promise<RenewAnswer> => {
      const found = this.#sessions.find(hold.owner);
      if (found === undefined || found.place.granted === undefined || found.place.isEnding) return 'lost';
      const { session, place } = found;
      try {
        const [isThere] = await Promise.all([
          session.client.session.connected(deadline).then(() => place.isThere(deadline)),
          confirmed(session),
        ]);
        if (isThere && !place.isEnding) {
          session.keep(place);
          return { outcome: 'renewed', ...session.term };
        }
        if (!place.isEnding) this.#report(hold.owner, 'broken');
        session.removeInBackground(place);
        return 'lost';
      } catch {
        return this.#sessions.find(hold.owner) === undefined ? 'lost' : 'unknown';
      }
    });
    return Promise.all(answers);
  }

  release(hold: Hold, deadline: Instant): Promise<ReleaseAnswer> {
    return this.#guarded(hold.name, async () => {
      const found = this.#sessions.find(hold.owner);
      if (found === undefined) return 'not-held';
      const { session, place } = found;
      await session.client.session.connected(deadline);
      return (await session.remove(place, deadline)) ? 'released' : 'not-held';
    });
  }

  withdraw(hold: Hold, { mayArriveLate }: { mayArriveLate: boolean }, deadline: Instant): Promise<void> {
    return this.#guarded(hold.name, async () => {
      if (mayArriveLate) this.#bury(hold.owner);
      const found = this.#sessions.find(hold.owner);
      if (found !== undefined) await found.session.remove(found.place, deadline);
    });
  }

  /** Removes one node and makes the other in one piece: nobody waits for a round trip between. */
  transfer(
    hold: Hold,
    next: AcquireRequest,
    deadline: Instant,
  ): Promise<Granted | Waiting | Gone | { readonly outcome: 'not-held' }> {
    return this.#guarded(hold.name, async () => {
      if (this.#isRefused(next.owner)) return { outcome: 'gone' };
      const held = this.#sessions.find(hold.owner);
      const known = this.#sessions.find(next.owner);
      const session = known?.session ?? held?.session;
      if (session === undefined) return { outcome: 'not-held' };
      await session.client.session.connected(deadline);
      const removed = held === undefined ? Promise.resolve(true) : held.session.remove(held.place, deadline);
      const place = session.placeFor(next, this.pathOf(next.name));
      session.keep(place);
      const [wasHeld, standing] = await Promise.allSettled([removed, place.enter(deadline)]);
      if (wasHeld.status === 'rejected') throw wasHeld.reason;
      if (!wasHeld.value && known === undefined) {
        session.removeInBackground(place);
        return { outcome: 'not-held' };
      }
      if (standing.status === 'rejected') {
        if (!(standing.reason instanceof LockError)) throw standing.reason;
        session.removeInBackground(place); // the hold is over; why it cannot be had again is for the next step to say
        return { outcome: 'gone' };
      }
      return this.#answer(session, place, standing.value);
    });
  }

  listen({ owner }: AcquireRequest, wake: (granted?: Granted) => void): () => void {
    this.#wakes.set(owner, wake);
    return () => {
      if (this.#wakes.get(owner) === wake) this.#wakes.delete(owner);
    };
  }

  onLoss(callback: LossCallback): () => void {
    this.#lossCallbacks.add(callback);
    return () => this.#lossCallbacks.delete(callback);
  }

  inspect(name: string, deadline: Instant): Promise<LockReport> {
    return this.#guarded(name, async () => (await this.#inquiry(deadline)).inspect(name, deadline));
  }

  list(deadline: Instant): Promise<readonly LockReport[]> {
    return this.#guarded('', async () => (await this.#inquiry(deadline)).list(deadline));
  }

  breakLock(name: string, deadline: Instant): Promise<{ broken: LockReport['holder']; raiseTo: bigint }> {
    return this.#guarded(name, async () => (await this.#inquiry(deadline)).breakLock(name, deadline));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const deadline = Instant.plus(this.#settings.clock.now(), CLOSE_MS);
    this.#lossCallbacks.clear();
    this.#wakes.clear();
    await this.#sessions.close(deadline);
  }

  /** Runs a step; a place that a failed first step may have left is kept for the next one, or for its withdrawal. */
  async #step(session: LockSession, place: Place, deadline: Instant, ask: () => Promise<Standing>): Promise<Standing> {
    for (;;) {
      await session.client.session.connected(deadline);
      try {
        return await ask();
      } catch (error) {
        if (error instanceof LockError) await session.remove(place, deadline).catch(() => undefined);
        // With a new connection in time we can look up what became of it, and need not leave it open.
        const isLost = error instanceof Error && error.name === 'ConnectionLossError';
        if (
          !isLost ||
          this.#settings.clock.now() >= deadline ||
          this.#sessions.find(place.request.owner)?.place !== place
        )
          throw error;
      }
    }
  }

  #answer(session: LockSession, place: Place, standing: Standing): Granted | Waiting | Gone {
    switch (standing) {
      case 'first': {
        const retryInMs = place.granted === undefined ? session.grantableInMs : 0;
        return retryInMs === 0 ? session.grant(place) : { outcome: 'waiting', retryInMs };
      }
      case 'behind':
        return { outcome: 'waiting' };
      case 'gone':
        session.removeInBackground(place);
        return { outcome: 'gone' };
    }
  }

  /** A round trip to the leader, after which everything is known here that was done before. */
  async #confirm(session: LockSession, deadline: Instant): Promise<void> {
    await session.client.session.connected(deadline);
    await session.client.sync(this.#settings.root, { deadline });
  }

  async #inquiry(deadline: Instant): Promise<Inquiry> {
    const session = this.#sessions.any ?? (await this.#sessions.of(INQUIRY_TTL_MS, deadline));
    await session.client.session.connected(deadline);
    return new Inquiry(session.client, this.#settings.root, (name) => this.pathOf(name));
  }

  #report(owner: OwnerId, reason: LossReason | 'at-risk'): void {
    for (const callback of [...this.#lossCallbacks]) callback(owner, reason);
  }

  #bury(owner: OwnerId): void {
    const now = this.#settings.clock.now();
    for (const [each, until] of this.#tombstones) {
      if (until > now) break; // in order of age
      this.#tombstones.delete(each);
    }
    this.#tombstones.set(owner, Instant.plus(now, TOMBSTONE_MS));
  }

  #isRefused(owner: OwnerId): boolean {
    return this.#tombstones.has(owner);
  }

  async #guarded<Answer>(name: string, call: () => Promise<Answer>): Promise<Answer> {
    try {
      return await call();
    } catch (error) {
      throw isCode(error, 'NO_NODE') && this.#settings.servers.chroot === ''
        ? toLockError(new Error((error as Error).message, { cause: error }), name)
        : toLockError(error, name);
    }
  }
}
