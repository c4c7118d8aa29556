import { hostname } from 'node:os';
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
  OwnerReport,
  Queues,
  ReleaseAnswer,
  RenewAnswer,
  Renews,
  ReportsLoss,
  Transfers,
  Waiting,
  Withdraws,
} from '../../core/backend.ts';
import type { Clock } from '../../core/clock.ts';
import type { LossReason } from '../../core/errors.ts';
import type { Holder, LockRow, MemoryStore, Notice } from './store.ts';

const HOST = hostname();

export class MemoryBackend
  implements Backend, Fences, Renews, Queues, Withdraws, Transfers, Notifies, ReportsLoss, Inspects, Breaks
{
  readonly id = 'memory';
  readonly tokenSource = 'memory';
  readonly guarantee: Guarantee = {
    liveness: 'after-ttl',
    survivesFailover: 'does-not-apply',
    clockAssumption: 'none: holders and the store read one monotonic clock',
    fencing: 'counter',
    fairness: 'first-come-first-served',
  };
  readonly #store: MemoryStore;
  readonly #clock: Clock;
  readonly #wakes: Map<OwnerId, (granted?: Granted) => void> = new Map();
  readonly #lossCallbacks: Set<(owner: OwnerId, reason: LossReason | 'at-risk') => void> = new Set();
  readonly #stopNotices: () => void;

  constructor(store: MemoryStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#stopNotices = store.onNotice((_name, notice) => this.#take(notice));
  }

  async tryAcquire(request: AcquireRequest): Promise<Granted | Busy> {
    return this.#row(request).tryAcquire(request, this.#report(request), this.#clock.now());
  }

  async queue(step: 'enter' | 'stay', request: AcquireRequest): Promise<Granted | Waiting | Gone> {
    return this.#row(request).queue(step, request, this.#report(request), this.#clock.now());
  }

  async renew(holds: readonly Hold[]): Promise<readonly RenewAnswer[]> {
    const now = this.#clock.now();
    return holds.map((hold) => (this.#row(hold).renew(hold, now) ? 'renewed' : 'lost'));
  }

  async release(hold: Hold): Promise<ReleaseAnswer> {
    return this.#row(hold).release(hold.owner, this.#clock.now()) ? 'released' : 'not-held';
  }

  async withdraw(hold: Hold, { mayArriveLate }: { mayArriveLate: boolean }): Promise<void> {
    this.#row(hold).withdraw(hold.owner, mayArriveLate, this.#clock.now());
  }

  async transfer(
    hold: Hold,
    next: AcquireRequest,
  ): Promise<Granted | Waiting | Gone | { readonly outcome: 'not-held' }> {
    return this.#row(hold).transfer(hold.owner, next, this.#report(next), this.#clock.now());
  }

  listen({ owner }: AcquireRequest, wake: (granted?: Granted) => void): () => void {
    this.#wakes.set(owner, wake);
    return () => this.#wakes.delete(owner);
  }

  onLoss(callback: (owner: OwnerId, reason: LossReason | 'at-risk') => void): () => void {
    this.#lossCallbacks.add(callback);
    return () => this.#lossCallbacks.delete(callback);
  }

  async inspect(name: string): Promise<LockReport> {
    const now = this.#clock.now();
    const row = this.#store.rows.get(name);
    if (row === undefined || row.isIdle(now)) return { name, holder: null, waiters: [] };
    return { name, holder: this.#holderReport(row.holder), waiters: [...row.waiters.values()].map((w) => w.report) };
  }

  async list(): Promise<readonly LockReport[]> {
    const names = [...this.#store.rows.keys()].sort();
    const reports = await Promise.all(names.map((name) => this.inspect(name)));
    return reports.filter((report) => report.holder !== null || report.waiters.length > 0);
  }

  async breakLock(name: string): Promise<{ broken: LockReport['holder']; raiseTo: bigint }> {
    const { broken, raiseTo } = this.#store.row(name).breakLock(this.#clock.now());
    return { broken: this.#holderReport(broken), raiseTo };
  }

  async close(): Promise<void> {
    this.#stopNotices();
    this.#wakes.clear();
    this.#lossCallbacks.clear();
  }

  /** Tells those of this backend object; the others' owner ids are not here. */
  #take(notice: Notice): void {
    if ('granted' in notice) {
      this.#wakes.get(notice.to)?.(notice.granted);
      return;
    }
    for (const callback of this.#lossCallbacks) callback(notice.to, notice.lost);
  }

  #row({ name }: Hold): LockRow {
    return this.#store.row(name);
  }

  #report({ owner, purpose }: AcquireRequest): OwnerReport {
    return { owner, host: HOST, pid: process.pid, purpose, since: this.#clock.date() };
  }

  #holderReport(holder: Holder | undefined): LockReport['holder'] {
    if (holder === undefined) return null;
    const { fencingToken, report, endsAt } = holder;
    return { ...report, fencingToken, remainingMs: endsAt - this.#clock.now(), foreign: false };
  }
}
