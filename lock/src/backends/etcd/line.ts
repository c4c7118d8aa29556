/**
 * A place in the line of its lock: how it is taken, looked at, and given back. The first has the lock, and everybody else
 * watches the one before.
 *
 * @module
 */
import type { Gone, Granted, OwnerId, Waiting } from '../../core/backend.ts';
import { type Clock, Instant } from '../../core/clock.ts';
import type { EtcdClient } from './client.ts';
import { lineOf, type Standing, standing, standingIn } from './contenders.ts';
import { dataInTheWay } from './failures.ts';
import { isData } from './keys.ts';
import type { Place } from './place.ts';
import { type Places, stopWatching } from './places.ts';
import * as transactions from './transactions.ts';
import { Watches, type WatchNews } from './watches.ts';

/** A waiter whose watch has broken asks within this time, at random, so that many do not ask at once. */
const AFTER_GAP_MS = 300;

interface LineOptions {
  readonly client: EtcdClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly places: Places;
  /** This owner should look again. */
  wake(owner: OwnerId): void;
}

export class Line {
  readonly #use: LineOptions;
  readonly #watches: Watches;

  constructor(use: LineOptions) {
    this.#use = use;
    this.#watches = new Watches(use.client);
  }

  async enter(place: Place, deadline: Instant): Promise<Granted | Waiting | Gone> {
    const { client, places } = this.#use;
    const answer = await client.transaction('an acquire', transactions.enter(place), deadline);
    if (!answer.succeeded) {
      const own = answer.ranges[0]?.[0];
      if (own?.value === place.value) {
        place.createRevision = own.createRevision; // an earlier request of ours, whose answer was lost
        return this.look(place, own.createRevision, deadline);
      }
      places.forget(place);
      place.lease.keys.add(place.key); // somebody else's, or withdrawn: not to be tried again
      return { outcome: 'gone' };
    }
    const { revision } = answer;
    place.createRevision = revision;
    const first = answer.ranges[1]?.[0];
    const before = answer.ranges[2]?.find(({ createRevision }) => createRevision < revision);
    return this.#stand(place, revision, revision, standing(place.name, revision, first, before), deadline);
  }

  /** Reads where the place stands. What is not there any more, or was made anew by somebody, is gone. */
  async look(place: Place, createRevision: bigint, deadline: Instant): Promise<Granted | Waiting | Gone> {
    const { client, places } = this.#use;
    const look = transactions.look(place, createRevision);
    const { ranges, revision } = await client.transaction('a wait', look, deadline);
    const [own, first, before] = ranges.map(([key]) => key);
    if (own?.createRevision !== createRevision) {
      places.forget(place);
      return { outcome: 'gone' };
    }
    return this.#stand(place, createRevision, revision, standing(place.name, createRevision, first, before), deadline);
  }

  grant(place: Place, createRevision: bigint): Granted {
    stopWatching(place);
    place.createRevision = createRevision;
    place.held = true;
    const { ttlMs, renewedAt } = place.lease;
    return { outcome: 'granted', ttlMs, fencingToken: createRevision, countedFrom: renewedAt };
  }

  /** Gives a place back. False: etcd had it no more. */
  async leave(place: Place, deadline: Instant): Promise<boolean> {
    stopWatching(place);
    const leaving = this.#use.client.transaction('a release', transactions.leave(place), deadline);
    const { succeeded } = await this.whileEnding(place, leaving);
    this.#use.places.forget(place);
    return succeeded;
  }

  /** Nobody asks for a place any more, whatever becomes of this call: if it fails, renewals of the lease try again. */
  async whileEnding<Answer>(place: Place, call: Promise<Answer>): Promise<Answer> {
    place.keptUntil = this.#use.clock.now();
    place.endings++;
    try {
      return await call;
    } finally {
      place.endings--;
    }
  }

  close(): void {
    this.#watches.close();
  }

  /** The first has the lock; the others watch the one before them. Nobody stands behind data, which would be for ever. */
  async #stand(
    place: Place,
    createRevision: bigint,
    revision: bigint,
    found: Standing | undefined,
    deadline: Instant,
  ): Promise<Granted | Waiting> {
    const { first, before } = found ?? (await this.#standingInAll(place, createRevision, revision, deadline));
    const data = [first, before].find((each) => each !== undefined && isData(each));
    if (data !== undefined) {
      await this.leave(place, deadline);
      throw dataInTheWay(place.lockName, data.key);
    }
    if (first === undefined || before === undefined) return this.grant(place, createRevision);
    this.#watch(place, before.key, revision);
    return { outcome: 'waiting', lastToken: first.createRevision };
  }

  async #standingInAll(
    { name }: Place,
    createRevision: bigint,
    revision: bigint,
    deadline: Instant,
  ): Promise<Standing> {
    const { line } = await lineOf(this.#use.client, name, deadline, { keysOnly: true, revision });
    return standingIn(line, createRevision);
  }

  /** A watch that is there already goes on: to begin it anew would only make the server answer twice. */
  #watch(place: Place, key: string, revision: bigint): void {
    if (place.withdrawn || place.watch?.key === key) return;
    stopWatching(place);
    const stop = this.#watches.watch(key, revision + 1n, (news) => {
      stopWatching(place);
      this.#news(place, news);
    });
    place.watch = { key, stop };
  }

  #news({ owner }: Place, news: WatchNews): void {
    const { clock, random, wake } = this.#use;
    if (news === 'deleted') {
      wake(owner);
      return;
    }
    const at = Instant.plus(clock.now(), random() * AFTER_GAP_MS);
    clock.callAt(at, () => wake(owner), { keepAlive: false });
  }
}
