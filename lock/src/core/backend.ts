/**
 * What a server, a file or a process must be able to do so that it can hold locks.
 *
 * A backend starts with one atomic attempt, one release that checks the owner, and close. Each further ability is a
 * small interface, named in the class line of the backend that has it; the acquire loop and the contract suite ask for
 * abilities, not for names.
 *
 * Rules for all calls:
 * - `deadline` is when the caller stops waiting for the answer. A backend need not watch it, but stops working for the
 *   call then, where it can.
 * - A call rejects with `BackendUnavailableError` only if it certainly had no effect, with `OutcomeUnknownError` if it
 *   may have had one, with another `LockError` if asking again cannot help. Whatever else it rejects with counts as
 *   unknown.
 * - Owner ids are never used for a second acquisition. Asking again with the same owner id gives the same answer.
 *
 * @module
 */
import type { Instant } from './clock.ts';
import type { LossReason } from './errors.ts';

/** Says who asks: unlike any other acquisition, in this process or elsewhere. */
export type OwnerId = string;

/** What identifies one acquisition at the backend. */
export interface Hold {
  readonly name: string;
  readonly owner: OwnerId;
  /** For how long the backend shall give, or has given, the lock. */
  readonly ttlMs: number;
}

export interface AcquireRequest extends Hold {
  /** For people on call, shown by `holdfast who`. */
  readonly purpose: string | undefined;
  /** How often a waiter says that it still waits. A waiter that has been silent for three times as long is dead. */
  readonly heartbeatMs: number;
}

/** The lock was given out. */
export interface Granted {
  readonly outcome: 'granted';
  /** For how long the backend really gave it. If that is more than was asked for, renewals are for as long. */
  readonly ttlMs: number;
  readonly fencingToken?: bigint;
  /**
   * From when on the TTL counts, if that is not the sending of this very request. It must be no later than the moment
   * from which the backend counts.
   */
  readonly countedFrom?: Instant;
}

/** Another owner has the lock, or others are ahead of us. */
export interface Busy {
  readonly outcome: 'busy';
  /** When asking again makes sense, if the backend knows: the rest of the holder's TTL. */
  readonly retryInMs?: number;
}

/** We are in the backend's queue. */
export interface Waiting {
  readonly outcome: 'waiting';
  /** When to ask again at the latest, if that is before the next heartbeat: for the first in the queue, the end of the holder's lease. */
  readonly retryInMs?: number;
  /**
   * The last token that was given out for this lock, to anyone. A hand-over that is pushed to us counts only if its
   * token is larger: then it was made after this answer. Without this number a push is a mere wake-up.
   */
  readonly lastToken?: bigint;
}

/** This owner id has no place in the queue any more (it was silent for too long, or it was withdrawn) and gets none. */
export interface Gone {
  readonly outcome: 'gone';
}

export type ReleaseAnswer = 'released' | 'not-held';

export interface Backend {
  /** Short and lower case, as in messages: `redis`. */
  readonly id: string;
  /** What this backend promises, as data. The lab holds each statement against what it finds. */
  readonly guarantee: Guarantee;
  /** Tries once, atomically, and does not queue. Never barges in front of live waiters. */
  tryAcquire(request: AcquireRequest, deadline: Instant): Promise<Granted | Busy>;
  /** Ends the hold if the owner still has it, and gives the lock to the next in the queue, where there is one. */
  release(hold: Hold, deadline: Instant): Promise<ReleaseAnswer>;
  /** Gives back what the backend itself opened. Clients that were handed in stay open. Safe to call twice. */
  close(): Promise<void>;
}

/** Every grant carries a fencing token: larger than those of all earlier grants of the same lock. */
export interface Fences {
  /** Where the tokens come from. Tokens compare only within one lock of one source. */
  readonly tokenSource: string;
}

/** The TTL starts again, but not as it was asked for: for another time, or counted from another moment. */
export interface Renewed {
  readonly outcome: 'renewed';
  readonly ttlMs: number;
  /** As in `Granted`. */
  readonly countedFrom: Instant;
}

/** Four answers to a renewal. `unknown`: no reply, which neither prolongs the lease nor ends it. */
export type RenewAnswer =
  | 'renewed' //  the TTL starts again from the sending of this renewal
  | Renewed
  | 'held' //     still ours, and there is no deadline to extend
  | 'lost' //     not ours any more
  | 'unknown';

export interface Renews {
  /**
   * Extends holds that are still ours, each with its own TTL, and never makes one anew. Many travel together.
   * One answer for each hold, in order; the promise rejects only if the answer to all of them is unknown.
   */
  renew(holds: readonly Hold[], deadline: Instant): Promise<readonly RenewAnswer[]>;
}

/** The backend keeps the waiters in order of arrival. */
export interface Queues {
  /**
   * One step of waiting. `enter` takes the lock, or a place at the end of the queue; again with the same owner id it
   * keeps that place. `stay` is the heartbeat: it never makes an entry, and it takes the lock when it is our turn.
   */
  queue(step: 'enter' | 'stay', request: AcquireRequest, deadline: Instant): Promise<Granted | Waiting | Gone>;
}

/** The backend can take back a request of which nobody knows whether it has arrived, or will. */
export interface Withdraws {
  /**
   * Leaves the queue; if this owner already holds the lock, releases it. With `mayArriveLate` the owner id is refused
   * from now on, for as long as a request of it can still arrive.
   */
  withdraw(hold: Hold, options: { readonly mayArriveLate: boolean }, deadline: Instant): Promise<void>;
}

/** The backend can give a held lock to another owner of the same process in one round trip. */
export interface Transfers {
  /**
   * If nobody is in the queue, `next` gets the lock, with a token of its own. Otherwise the first in the queue gets it
   * and `next` takes a place at the end: as after a step of its own, `wake` is called when its turn may have come.
   * `not-held`: the hold was over, and `next` has nothing.
   */
  transfer(
    hold: Hold,
    next: AcquireRequest,
    deadline: Instant,
  ): Promise<Granted | Waiting | Gone | { readonly outcome: 'not-held' }>;
}

/** The backend tells a waiter when its turn may have come. */
export interface Notifies {
  /**
   * Calls `wake` when it is worth a step for this owner, until the returned function is called. A `Granted` says that
   * the lock was handed over to it already: its TTL counts from the sending of the owner's last step that was answered
   * with `waiting`, if its token is larger than the `lastToken` of that answer. Messages may be lost and may come too often; after a gap in listening, `wake` is called once.
   */
  listen(request: AcquireRequest, wake: (granted?: Granted) => void): () => void;
}

/** The backend itself can learn that a hold is over or in doubt, before a renewal asks. */
export interface ReportsLoss {
  /** Calls back for holds of this backend object, until the returned function is called. */
  onLoss(callback: (owner: OwnerId, reason: LossReason | 'at-risk') => void): () => void;
}

/** Who holds, or waits, as people on call want to know it. */
export interface OwnerReport {
  readonly owner: OwnerId;
  readonly host: string | undefined;
  readonly pid: number | undefined;
  readonly purpose: string | undefined;
  /** By the clock of the backend. */
  readonly since: Date | undefined;
}

export interface LockReport {
  readonly name: string;
  readonly holder:
    | (OwnerReport & {
        readonly fencingToken: bigint | undefined;
        readonly remainingMs: number | undefined;
        readonly foreign: boolean;
      })
    | null;
  /** In order: the first is the next. */
  readonly waiters: readonly OwnerReport[];
}

export interface Inspects {
  inspect(name: string, deadline: Instant): Promise<LockReport>;
  /** The locks that are held or waited for, sorted by name. */
  list(deadline: Instant): Promise<readonly LockReport[]>;
}

export interface Breaks {
  /**
   * Takes the lock from its holder, tells it, and gives the lock to the next in the queue. No later token is smaller
   * than `raiseTo`, and `raiseTo` is larger than the token of the broken holder: a guard that is raised to it refuses
   * that holder from then on, and nobody after it.
   */
  breakLock(
    name: string,
    deadline: Instant,
  ): Promise<{ readonly broken: LockReport['holder']; readonly raiseTo: bigint | undefined }>;
}

export function fences<B extends Backend>(backend: B): backend is B & Fences {
  return 'tokenSource' in backend;
}

export function renews<B extends Backend>(backend: B): backend is B & Renews {
  return 'renew' in backend;
}

export function queues<B extends Backend>(backend: B): backend is B & Queues {
  return 'queue' in backend;
}

export function withdraws<B extends Backend>(backend: B): backend is B & Withdraws {
  return 'withdraw' in backend;
}

export function transfers<B extends Backend>(backend: B): backend is B & Transfers {
  return 'transfer' in backend;
}

export function notifies<B extends Backend>(backend: B): backend is B & Notifies {
  return 'listen' in backend;
}

export function reportsLoss<B extends Backend>(backend: B): backend is B & ReportsLoss {
  return 'onLoss' in backend;
}

export function inspects<B extends Backend>(backend: B): backend is B & Inspects {
  return 'inspect' in backend;
}

export function breaks<B extends Backend>(backend: B): backend is B & Breaks {
  return 'breakLock' in backend;
}

/** What a backend promises. Each statement is one that an experiment can refute. */
export interface Guarantee {
  /** When the lock of a holder that was killed is free again. */
  readonly liveness: 'at-once' | 'after-ttl' | 'after-up-to-two-ttl';
  /** Whether a grant outlives the crash or failover of the server; `single` means that there is one server and no failover. */
  readonly survivesFailover: 'yes' | 'no' | 'single' | 'does-not-apply';
  /** What must be true of clocks so that two owners never hold at once. */
  readonly clockAssumption: string;
  /** Whether grants carry tokens, and what keeps them growing. */
  readonly fencing: 'none' | 'counter' | 'counter-and-server-clock' | 'counter-and-durable-floor';
  /** Order in which waiters get the lock. */
  readonly fairness: 'first-come-first-served' | 'none';
}
