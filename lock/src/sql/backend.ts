/**
 * The lock as a row with an expiry in the server's time, and its waiters as rows of a queue. Each step is one call to
 * the database and one transaction there; what differs between databases is in their statements.
 *
 * @module
 */
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
  Queues,
  ReleaseAnswer,
  RenewAnswer,
  Renews,
  ReportsLoss,
  Transfers,
  Waiting,
  Withdraws,
} from '../core/backend.ts';
import type { Clock, Instant } from '../core/clock.ts';
import { LockError, type LossReason } from '../core/errors.ts';
import { readBroken, readRenewals, readReports, readStep, type StepAnswer } from './answers.ts';
import type { SqlDatabase, SqlInbox, SqlNews, SqlStatements, SqlValue } from './database.ts';
import { Lane } from './lane.ts';
import { Lookout } from './lookout.ts';
import { SqlRequests } from './requests.ts';

const HOST = hostname();

/** So many holds are renewed by one statement. */
const RENEW_TOGETHER = 1_000;

type LossCallback = (owner: OwnerId, reason: LossReason | 'at-risk') => void;

export interface SqlBackendSettings {
  readonly clock: Clock;
  readonly random: () => number;
  readonly tokenSource: string;
  /** Opens the line for news, where the database has one. */
  readonly inbox?: (news: SqlNews) => SqlInbox;
}

export class SqlBackend
  implements Backend, Fences, Renews, Queues, Withdraws, Transfers, Notifies, ReportsLoss, Inspects, Breaks
{
  readonly id: string;
  readonly tokenSource: string;
  readonly guarantee: Guarantee = {
    liveness: 'after-ttl',
    survivesFailover: 'no',
    clockAssumption: "the server's clock does not jump ahead by what is left of a lease; clients' clocks do not matter",
    fencing: 'counter',
    fairness: 'first-come-first-served',
  };
  protected readonly database: SqlDatabase;
  readonly #sql: SqlStatements;
  readonly #requests: SqlRequests;
  readonly #lookout: Lookout;
  /** For heartbeats and the like: a thousand waiters shall not take all connections of a pool at once. */
  readonly #inPassing: Lane = new Lane();
  readonly #inbox: SqlInbox | undefined;
  readonly #lossCallbacks: Set<LossCallback> = new Set();
  #closed: Promise<void> | undefined;

  constructor(database: SqlDatabase, { clock, random, tokenSource, inbox }: SqlBackendSettings) {
    this.database = database;
    this.id = database.id;
    this.tokenSource = tokenSource;
    this.#sql = database.statements;
    this.#requests = new SqlRequests(database, clock, random);
    this.#lookout = new Lookout({
      clock,
      random,
      isPushed: () => this.#inbox?.isOpen === true,
      look: (wanted, deadline) => {
        const ask = () => this.#requests.rows(this.#sql.handedOver, '', [wanted], deadline);
        // Where news are pushed this is a precaution, and can wait for its turn.
        return this.#inbox?.isOpen === true ? this.#inPassing.run(ask) : ask();
      },
    });
    this.#inbox = inbox?.({
      granted: (owner, fencingToken, ttlMs) => this.#lookout.tell(owner, { outcome: 'granted', fencingToken, ttlMs }),
      broken: (owner) => this.#reportBroken(owner),
      gap: () => this.#lookout.lookNow(),
    });
  }

  async tryAcquire(request: AcquireRequest, deadline: Instant): Promise<Granted | Busy> {
    const values = ['try', ...this.#askerValues(request)];
    return readStep(await this.#step(this.#sql.acquire, request.name, values, deadline)) as Granted | Busy;
  }

  async queue(step: 'enter' | 'stay', request: AcquireRequest, deadline: Instant): Promise<Granted | Waiting | Gone> {
    const values = [step, ...this.#askerValues(request)];
    const ask = (): Promise<string> => this.#step(this.#sql.acquire, request.name, values, deadline);
    return readStep(await (step === 'stay' ? this.#inPassing.run(ask) : ask())) as Granted | Waiting | Gone;
  }

  async renew(holds: readonly Hold[], deadline: Instant): Promise<readonly RenewAnswer[]> {
    // Who holds for so long that it renews wants to hear at once when an operator breaks its lock.
    if (this.#closed === undefined && this.#lossCallbacks.size > 0) this.#inbox?.open();
    const answers: RenewAnswer[] = [];
    for (let at = 0; at < holds.length; at += RENEW_TOGETHER) {
      const some = holds.slice(at, at + RENEW_TOGETHER);
      answers.push(...(await this.#renewSome(some, answers.length > 0, deadline)));
    }
    return answers;
  }

  async release({ name, owner }: Hold, deadline: Instant): Promise<ReleaseAnswer> {
    return (await this.#step(this.#sql.release, name, [name, owner], deadline)) as ReleaseAnswer;
  }

  async withdraw(
    { name, owner }: Hold,
    { mayArriveLate }: { readonly mayArriveLate: boolean },
    deadline: Instant,
  ): Promise<void> {
    await this.#step(this.#sql.withdraw, name, [name, owner, mayArriveLate], deadline);
  }

  async transfer(
    hold: Hold,
    next: AcquireRequest,
    deadline: Instant,
  ): Promise<Granted | Waiting | Gone | { readonly outcome: 'not-held' }> {
    const [name, ...others] = this.#askerValues(next);
    const values = [name as string, hold.owner, ...others];
    const line = await this.#step(this.#sql.transfer, hold.name, values, deadline);
    return readStep(line) as Exclude<StepAnswer, Busy>;
  }

  listen(request: AcquireRequest, wake: (granted?: Granted) => void): () => void {
    if (this.#closed === undefined) this.#inbox?.open();
    return this.#lookout.listen(request, wake);
  }

  onLoss(callback: LossCallback): () => void {
    this.#lossCallbacks.add(callback);
    return () => this.#lossCallbacks.delete(callback);
  }

  async inspect(name: string, deadline: Instant): Promise<LockReport> {
    this.#assertOpen(name);
    const [report] = readReports(await this.#requests.rows(this.#sql.inspect, name, [name], deadline));
    return report ?? { name, holder: null, waiters: [] };
  }

  async list(deadline: Instant): Promise<readonly LockReport[]> {
    this.#assertOpen('');
    return readReports(await this.#requests.rows(this.#sql.list, '', [], deadline));
  }

  async breakLock(name: string, deadline: Instant): Promise<{ broken: LockReport['holder']; raiseTo: bigint }> {
    return readBroken(await this.#step(this.#sql.breakLock, name, [name], deadline));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#lookout.close();
    this.#lossCallbacks.clear();
    await this.#inbox?.close();
    await this.database.close();
  }

  async #renewSome(holds: readonly Hold[], isRest: boolean, deadline: Instant): Promise<readonly RenewAnswer[]> {
    const values = [
      JSON.stringify(holds.map(({ name, owner, ttlMs }) => ({ n: name, o: owner, t: Math.ceil(ttlMs) }))),
    ];
    try {
      const letters = await this.#step(this.#sql.renew, holds[0]?.name ?? '', values, deadline);
      return readRenewals(letters).map((answer, index) => {
        if (answer !== 'broken') return answer;
        this.#reportBroken(holds[index]?.owner ?? ''); // before the answer, which knows no reason
        return 'lost';
      });
    } catch (error) {
      if (!isRest) throw error;
      return holds.map(() => 'unknown');
    }
  }

  #step(statement: string, name: string, values: readonly SqlValue[], deadline: Instant): Promise<string> {
    this.#assertOpen(name);
    return this.#requests.step(statement, name, values, deadline);
  }

  #assertOpen(lockName: string): void {
    if (this.#closed === undefined) return;
    throw new LockError('CLOSED', `This ${this.id} backend was closed.`, { lockName });
  }

  #askerValues({ name, owner, ttlMs, heartbeatMs, purpose }: AcquireRequest): SqlValue[] {
    const channel = this.#inbox?.channel ?? null;
    return [name, owner, Math.ceil(ttlMs), Math.ceil(heartbeatMs), purpose ?? null, channel, HOST, process.pid];
  }

  #reportBroken(owner: OwnerId): void {
    for (const callback of [...this.#lossCallbacks]) callback(owner, 'broken');
  }
}
