/**
 * Looks out for the waiters of one backend object: for news in the database when the wake file was touched, and for
 * the death of whoever each of them waits behind, which nobody announces. Each waiter watches only the one before it,
 * so a death is seen by one process, and a release wakes one.
 *
 * @module
 */
import type { AcquireRequest, Granted, OwnerId } from '../../core/backend.ts';
import { type CancelTimer, type Clock, Instant } from '../../core/clock.ts';
import type { InstanceId, Verdict } from './liveness.ts';
import type { LockTable } from './lock-table.ts';
import { machineMs } from './machine.ts';
import type { InstanceRow, Place } from './rows.ts';

/** How often the one before us is looked at. A look costs some tens of microseconds, and no access to the tables. */
const PROBE_MS = 25;

/** After so many probes the tables are read as well, in case that a wake-up got lost. */
const PROBES_PER_READING = 8;

/** So much is done at once; the rest follows at the next probe. */
const MOST_AT_ONCE = 64;

/** Looking out takes at most this share of the event loop. */
const SHARE = 0.05;

type Wake = (granted?: Granted) => void;

interface Waiter {
  readonly request: AcquireRequest;
  readonly wake: Wake;
  /** Whether its last step was answered with a place in the queue. */
  waits: boolean;
  behind: InstanceRow | undefined;
  told: bigint | undefined;
}

export interface LookoutTasks {
  readonly clock: Clock;
  /** Whether that instance is alive, as far as can be known. */
  probe(instance: InstanceRow): Verdict;
  /** Whether touches of our wake file arrive. */
  isWatching(): boolean;
  read<Answer>(work: (table: LockTable) => Answer): Promise<Answer>;
  bury(dead: readonly InstanceId[]): Promise<void>;
  broken(owner: OwnerId): void;
}

export class Lookout {
  readonly #tasks: LookoutTasks;
  readonly #waiters: Map<OwnerId, Waiter> = new Map();
  #cancelTimer: CancelTimer | undefined;
  #probes = 0;
  /** Where the next round begins, when there are more waiters than one round takes. */
  #offset = 0;
  #reading: Promise<void> | undefined;
  #readAgain = false;
  #closed = false;

  constructor(tasks: LookoutTasks) {
    this.#tasks = tasks;
  }

  listen(request: AcquireRequest, wake: Wake): () => void {
    const waiter: Waiter = { request, wake, waits: false, behind: undefined, told: undefined };
    this.#waiters.set(request.owner, waiter);
    return () => {
      if (this.#waiters.get(request.owner) === waiter) this.#waiters.delete(request.owner);
    };
  }

  /** A step has told this owner where it stands; undefined: it does not wait any more. */
  stands(owner: OwnerId, place: Place | undefined): void {
    const waiter = this.#waiters.get(owner);
    if (waiter === undefined) return;
    waiter.waits = place !== undefined;
    waiter.behind = place?.behind;
    if (waiter.waits) this.#schedule(0);
  }

  /** A lock was handed over to this owner. */
  tell(owner: OwnerId, granted: Granted): void {
    const waiter = this.#waiters.get(owner);
    if (waiter === undefined || waiter.told === granted.fencingToken) return;
    waiter.told = granted.fencingToken;
    waiter.waits = false;
    waiter.wake(granted);
  }

  /** The files that all waits stood in are gone: everybody asks again. */
  wakeAll(): void {
    for (const { wake } of [...this.#waiters.values()]) wake();
  }

  /** Reads what there is to know, soon: once more if a reading is under way. Never rejects. */
  read(): void {
    if (this.#closed) return;
    if (this.#reading !== undefined) {
      this.#readAgain = true;
      return;
    }
    this.#reading = this.#readOnce()
      .catch(() => undefined) // the file is away or in use; the next reading tries again
      .then(() => {
        this.#reading = undefined;
        if (!this.#readAgain) return;
        this.#readAgain = false;
        this.read();
      });
  }

  close(): void {
    this.#closed = true;
    this.#cancelTimer?.();
    this.#waiters.clear();
  }

  async #readOnce(): Promise<void> {
    const round = this.#round();
    const { handedOver, broken, places } = await this.#tasks.read((table) => ({
      handedOver: table.handedOver(),
      broken: table.takeBroken(),
      places: round.map(({ request }) => table.place(request.name, request.owner)),
    }));
    for (const owner of broken) this.#tasks.broken(owner);
    for (const { owner, token, grantedMs } of handedOver) {
      this.tell(owner, { outcome: 'granted', ttlMs: grantedMs, fencingToken: BigInt(token) });
    }
    for (const [index, waiter] of round.entries()) {
      if (!waiter.waits || this.#waiters.get(waiter.request.owner) !== waiter) continue;
      const place = places[index];
      waiter.behind = place?.behind;
      // Its turn has come, or it has no place any more: its next step will tell.
      if (place === undefined || place.waiting.retryInMs === 0) waiter.wake();
    }
  }

  #schedule(inMs: number): void {
    if (this.#cancelTimer !== undefined || this.#closed) return;
    const { clock } = this.#tasks;
    this.#cancelTimer = clock.callAt(Instant.plus(clock.now(), inMs), () => this.#probe(), { keepAlive: false });
  }

  #probe(): void {
    this.#cancelTimer = undefined;
    const round = this.#round();
    if (round.length === 0) return;
    const beganMs = machineMs();
    const behind = new Map(round.flatMap((waiter) => (waiter.behind ? [[waiter.behind.id, waiter.behind]] : [])));
    const dead = [...behind.values()].filter((instance) => this.#tasks.probe(instance) === 'dead');
    this.#probes++;
    if (dead.length > 0) {
      const buried = this.#tasks.bury(dead.map(({ id }) => id));
      buried.then(
        () => this.read(),
        () => undefined, // the file is in use; the next probe finds them dead again
      );
    } else if (this.#probes % PROBES_PER_READING === 0 || !this.#tasks.isWatching()) {
      this.read();
    }
    this.#schedule(Math.max(PROBE_MS, (machineMs() - beganMs) / SHARE));
  }

  /** The waiters whose turn it is to be looked after. */
  #round(): Waiter[] {
    const all = [...this.#waiters.values()].filter(({ waits }) => waits);
    if (all.length <= MOST_AT_ONCE) return all;
    this.#offset = (this.#offset + MOST_AT_ONCE) % all.length;
    return [...all.slice(this.#offset), ...all.slice(0, this.#offset)].slice(0, MOST_AT_ONCE);
  }
}
