/**
 * Who holds and who waits, for people on call. Changes nothing.
 *
 * @module
 */
import type { LockReport, OwnerReport } from '../../core/backend.ts';
import type { Instances } from './instances.ts';
import type { InstanceRow, LeaseRow, TableContext, WaiterRow } from './rows.ts';
import type { Statements } from './statements/statements.ts';

export class Reports {
  readonly #sql: Statements;
  readonly #instances: Instances;
  readonly #context: TableContext;

  constructor(statements: Statements, instances: Instances, context: TableContext) {
    this.#sql = statements;
    this.#instances = instances;
    this.#context = context;
  }

  inspect(name: string): LockReport {
    const lease = this.#lease(name);
    const waiters = this.#sql.waitersFor.all(name) as WaiterRow[];
    return this.#report(name, lease, waiters);
  }

  /** All locks that are held or waited for, sorted by name. */
  list(): LockReport[] {
    const { nowMs } = this.#context;
    const leases = new Map((this.#sql.heldLeases.all(nowMs) as LeaseRow[]).map((lease) => [lease.name, lease]));
    const waiters = new Map<string, WaiterRow[]>();
    for (const waiter of this.#sql.waiters.all() as WaiterRow[]) {
      const others = waiters.get(waiter.name);
      if (others === undefined) waiters.set(waiter.name, [waiter]);
      else others.push(waiter);
    }
    const names = [...new Set([...leases.keys(), ...waiters.keys()])].sort();
    return names
      .map((name) => this.#report(name, leases.get(name), waiters.get(name) ?? []))
      .filter((report) => report.holder !== null || report.waiters.length > 0);
  }

  /** Everybody who has a lease or a place for this name, or for any. */
  involved(name?: string): InstanceRow[] {
    const rows =
      name === undefined
        ? [...this.#sql.heldLeases.all(this.#context.nowMs), ...this.#sql.waiters.all()]
        : [this.#sql.lease.get(name), ...this.#sql.waitersFor.all(name)];
    const ids = new Set((rows as (LeaseRow | WaiterRow | undefined)[]).flatMap((row) => row?.instance ?? []));
    return [...ids].flatMap((id) => this.#instances.get(id) ?? []);
  }

  #report(name: string, lease: LeaseRow | undefined, waiters: readonly WaiterRow[]): LockReport {
    return {
      name,
      holder: lease === undefined ? null : this.holder(lease),
      waiters: waiters.filter((waiter) => waiter.silentMs > this.#context.nowMs).map((row) => this.#ownerReport(row)),
    };
  }

  /** The holder of a lease. */
  holder(lease: LeaseRow): LockReport['holder'] {
    const remainingMs = lease.endsMs - this.#context.nowMs;
    return { ...this.#ownerReport(lease), fencingToken: BigInt(lease.token), remainingMs, foreign: false };
  }

  #ownerReport({ owner, instance, purpose, sinceAt }: LeaseRow | WaiterRow): OwnerReport {
    const where = this.#instances.get(instance);
    // Numbers, whatever the opener has made of integers.
    const [pid, since] = [where && Number(where.pid), new Date(Number(sinceAt))];
    return { owner, host: where?.host, pid, purpose: purpose ?? undefined, since };
  }

  #lease(name: string): LeaseRow | undefined {
    const lease = this.#sql.lease.get(name) as LeaseRow | undefined;
    return lease !== undefined && lease.endsMs > this.#context.nowMs ? lease : undefined;
  }
}
