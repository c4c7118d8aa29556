/**
 * What happens to the rows of one boot's file, step by step. Each method runs inside one exclusive transaction, so it
 * is atomic for all processes; none of them waits. What others have to be told is noted and sent after the commit.
 *
 * @module
 */
import type { AcquireRequest, Gone, Granted, Hold, LockReport } from '../../core/backend.ts';
import { ReservationNeeded } from './floor.ts';
import { Instances } from './instances.ts';
import type { InstanceId } from './liveness.ts';
import { Reports } from './reports.ts';
import type { InstanceRow, LeaseRow, Notice, Place, TableContext, WaiterRow } from './rows.ts';
import type { Statements } from './statements/statements.ts';

/** A waiter that has been silent for this many heartbeats is dead. */
const SILENT_HEARTBEATS = 3;

/** A hand-over may meet a waiter that has just died: it is good for this many heartbeats until it is renewed. */
const CLAIM_HEARTBEATS = 2;

/** For how long a withdrawn owner id is refused: longer than any request can still be under way. */
const TOMBSTONE_MS = 600_000;

export class LockTable {
  /** What this transaction has to tell others once it is committed. */
  readonly notices: Notice[] = [];
  /** The last token that this transaction has given out, and up to where the floor on disk reaches. */
  tokens: { readonly last: bigint; readonly reserved: bigint } | undefined;
  readonly instances: Instances;
  readonly reports: Reports;
  readonly #sql: Statements;
  readonly #context: TableContext;

  constructor(statements: Statements, context: TableContext) {
    this.#sql = statements;
    this.#context = context;
    this.instances = new Instances(statements);
    this.reports = new Reports(statements, this.instances, context);
  }

  tryAcquire(
    request: AcquireRequest,
  ): Granted | { outcome: 'busy'; retryInMs: number; holder: InstanceRow | undefined } {
    const { name, owner, ttlMs } = request;
    const lease = this.#held(name) ?? this.#giveToFirst(name);
    if (lease?.owner === owner) return this.#extend(lease, ttlMs);
    if (lease !== undefined) {
      return {
        outcome: 'busy',
        retryInMs: lease.endsMs - this.#context.nowMs,
        holder: this.instances.get(lease.instance),
      };
    }
    if (this.#isWithdrawn(owner)) return { outcome: 'busy', retryInMs: ttlMs, holder: undefined };
    return this.#give(request, this.#context.instance, ttlMs, 1);
  }

  queue(step: 'enter' | 'stay', request: AcquireRequest): Granted | Place | Gone {
    const { name, owner, ttlMs, heartbeatMs } = request;
    const { nowMs, instance, wallMs } = this.#context;
    if (this.#isWithdrawn(owner)) return { outcome: 'gone' };
    const lease = this.#held(name);
    if (lease?.owner === owner) return this.#extend(lease, ttlMs);
    const silentMs = nowMs + SILENT_HEARTBEATS * heartbeatMs;
    const waiter = this.#waiter(name, owner);
    if (waiter !== undefined) {
      this.#sql.keepWaiter.run(ttlMs, heartbeatMs, silentMs, name, waiter.ticket);
    } else if (step === 'stay') {
      return { outcome: 'gone' };
    } else if (lease === undefined && this.#firstWaiter(name) === undefined) {
      return this.#give(request, instance, ttlMs, 1);
    } else {
      this.#sql.addWaiter.run(
        name,
        name,
        owner,
        instance,
        ttlMs,
        heartbeatMs,
        silentMs,
        request.purpose ?? null,
        wallMs,
      );
    }
    const given = lease ?? this.#giveToFirst(name, owner);
    if (given?.owner === owner) return this.#extend(given, ttlMs);
    return this.place(name, owner) ?? { outcome: 'gone' };
  }

  /** Where a waiter stands, or undefined if it does not wait. Changes nothing. */
  place(name: string, owner: string): Place | undefined {
    const waiter = this.#sql.waiter.get(name, owner) as WaiterRow | undefined;
    if (waiter === undefined) return undefined;
    const lease = this.#sql.lease.get(name) as LeaseRow | undefined;
    const lastToken = lease === undefined ? this.counter().last : BigInt(lease.token);
    const ahead = this.#sql.waiterAhead.get(name, waiter.ticket) as WaiterRow | undefined;
    if (ahead !== undefined) {
      return { waiting: { outcome: 'waiting', lastToken }, behind: this.instances.get(ahead.instance) };
    }
    const retryInMs = lease === undefined ? 0 : Math.max(0, lease.endsMs - this.#context.nowMs);
    return {
      waiting: { outcome: 'waiting', retryInMs, lastToken },
      behind: lease && this.instances.get(lease.instance),
    };
  }

  renew({ name, owner, ttlMs }: Hold): boolean {
    const lease = this.#held(name);
    if (lease?.owner !== owner) return false;
    this.#extend(lease, ttlMs);
    return true;
  }

  release({ name, owner }: Hold): boolean {
    if (this.#held(name)?.owner !== owner) return false;
    this.#free(name);
    return true;
  }

  withdraw(hold: Hold, mayArriveLate: boolean): void {
    const { name, owner } = hold;
    const waiter = this.#sql.waiter.get(name, owner) as WaiterRow | undefined;
    if (waiter !== undefined) this.#removeWaiter(waiter);
    this.release(hold);
    if (!mayArriveLate) return;
    this.#sql.removeOldWithdrawn.run(this.#context.nowMs);
    this.#sql.addWithdrawn.run(owner, this.#context.nowMs + TOMBSTONE_MS);
  }

  transfer(hold: Hold, next: AcquireRequest): Granted | Place | Gone | { outcome: 'not-held' } {
    const { name } = hold;
    const isHolder = this.#held(name)?.owner === hold.owner;
    if (!isHolder) {
      // Asked again, after an answer that got lost: `next` has what the first request gave it.
      const isKnown = this.#held(name)?.owner === next.owner || this.#waiter(name, next.owner) !== undefined;
      if (!isKnown) return { outcome: 'not-held' };
    } else {
      this.#free(name);
    }
    return this.queue('enter', next);
  }

  /** Takes the lock from its holder, and makes every later token larger than `raiseTo`. */
  breakLock(name: string): { broken: LockReport['holder']; raiseTo: bigint } {
    const lease = this.#held(name);
    const raiseTo = this.#nextToken();
    if (lease !== undefined) {
      const { instance, owner } = lease;
      if (instance !== this.#context.instance) this.#sql.addBroken.run(instance, owner);
      this.notices.push({ to: instance, owner, news: 'broken' });
      this.#free(name);
    }
    return { broken: lease === undefined ? null : this.reports.holder(lease), raiseTo };
  }

  /** The owners of this instance whose lock was broken; they are told once. */
  takeBroken(): string[] {
    const { instance } = this.#context;
    const rows = this.#sql.brokenOf.all(instance) as { owner: string }[];
    if (rows.length > 0) this.#sql.removeBrokenOf.run(instance);
    return rows.map(({ owner }) => owner);
  }

  /** What was handed over to owners of this instance, and not claimed yet. */
  handedOver(): LeaseRow[] {
    const rows = this.#sql.handedOver.all(this.#context.instance) as LeaseRow[];
    return rows.filter((lease) => lease.endsMs > this.#context.nowMs);
  }

  /** Ends everything that a dead or leaving instance has: its waits, then its leases, which go to the next. */
  bury(id: InstanceId): void {
    this.#sql.removeWaitersOf.run(id);
    for (const { name } of this.#sql.leasesOf.all(id) as LeaseRow[]) this.#free(name);
    this.instances.remove(id);
  }

  /** Removes what time has ended, and nobody has asked for since. */
  tidy(): void {
    this.#sql.removeEndedLeases.run(this.#context.nowMs);
    this.#sql.removeOldWithdrawn.run(this.#context.nowMs);
  }

  counter(): { readonly last: bigint; readonly reserved: bigint; readonly clockShift: string } {
    const row = this.#sql.counter.get() as { last: string; reserved: string; clockShift: string };
    return { last: BigInt(row.last), reserved: BigInt(row.reserved), clockShift: row.clockShift };
  }

  /** Notes that the floor on disk reaches up to here. */
  setReserved(floor: bigint): void {
    this.#sql.setReserved.run(String(floor));
  }

  /** The lease of a name whose time has not ended. */
  #held(name: string): LeaseRow | undefined {
    const lease = this.#sql.lease.get(name) as LeaseRow | undefined;
    return lease !== undefined && lease.endsMs > this.#context.nowMs ? lease : undefined;
  }

  /** The entry of an owner that has not been silent for too long. */
  #waiter(name: string, owner: string): WaiterRow | undefined {
    const waiter = this.#sql.waiter.get(name, owner) as WaiterRow | undefined;
    if (waiter === undefined || waiter.silentMs > this.#context.nowMs) return waiter;
    this.#removeWaiter(waiter);
    return undefined;
  }

  /** The first who waits and is not silent; the silent ones before it are removed. */
  #firstWaiter(name: string): WaiterRow | undefined {
    for (;;) {
      const waiter = this.#sql.firstWaiter.get(name) as WaiterRow | undefined;
      if (waiter === undefined || waiter.silentMs > this.#context.nowMs) return waiter;
      this.#sql.removeWaiter.run(name, waiter.ticket);
    }
  }

  /** Who stands behind a leaving waiter has somebody else before it now. */
  #removeWaiter({ name, ticket }: WaiterRow): void {
    this.#sql.removeWaiter.run(name, ticket);
    const next = this.#sql.waiterBehind.get(name, ticket) as WaiterRow | undefined;
    if (next !== undefined) this.notices.push({ to: next.instance, owner: next.owner, news: 'moved-up' });
  }

  /** Ends the hold, and gives the lock to the first who waits. */
  #free(name: string): void {
    const next = this.#firstWaiter(name);
    if (next === undefined) this.#sql.removeLease.run(name);
    else this.#handOver(next);
  }

  /** A free lock goes to the first who waits, whoever asks. It is told, unless it is the one who asks. */
  #giveToFirst(name: string, asking?: string): LeaseRow | undefined {
    const next = this.#firstWaiter(name);
    if (next === undefined) return undefined;
    this.#handOver(next, asking);
    return this.#held(name);
  }

  #handOver(next: WaiterRow, asking?: string): void {
    this.#sql.removeWaiter.run(next.name, next.ticket);
    const claimMs = Math.min(next.ttlMs, CLAIM_HEARTBEATS * next.heartbeatMs);
    const request = { name: next.name, owner: next.owner, purpose: next.purpose ?? undefined };
    const granted = this.#give(request, next.instance, claimMs, 0);
    if (next.owner !== asking) {
      this.notices.push({ to: next.instance, owner: next.owner, news: 'granted', granted });
    }
  }

  #give(
    { name, owner, purpose }: Pick<AcquireRequest, 'name' | 'owner' | 'purpose'>,
    instance: InstanceId,
    ttlMs: number,
    claimed: 0 | 1,
  ): Granted {
    const token = this.#nextToken();
    const { nowMs, wallMs } = this.#context;
    this.#sql.give.run(name, owner, instance, String(token), ttlMs, nowMs + ttlMs, claimed, purpose ?? null, wallMs);
    return { outcome: 'granted', ttlMs, fencingToken: token };
  }

  #extend({ name, token }: LeaseRow, ttlMs: number): Granted {
    this.#sql.extend.run(ttlMs, this.#context.nowMs + ttlMs, name);
    return { outcome: 'granted', ttlMs, fencingToken: BigInt(token) };
  }

  #isWithdrawn(owner: string): boolean {
    const row = this.#sql.withdrawn.get(owner) as { untilMs: number } | undefined;
    return row !== undefined && row.untilMs > this.#context.nowMs;
  }

  /** Above all earlier ones, and never below the wall clock, so that tokens stay comparable over boots. */
  #nextToken(): bigint {
    const { last, reserved } = this.counter();
    const wallUs = BigInt(Math.trunc(this.#context.wallMs)) * 1000n;
    const token = last + 1n > wallUs ? last + 1n : wallUs;
    if (token > reserved) throw new ReservationNeeded(token);
    this.#sql.setLast.run(String(token));
    this.tokens = { last: token, reserved };
    return token;
  }
}
