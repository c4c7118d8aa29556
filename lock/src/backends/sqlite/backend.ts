import { readdirSync } from 'node:fs';
import path from 'node:path';
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
import { type Clock, Instant, systemClock } from '../../core/clock.ts';
import { LockError, type LossReason } from '../../core/errors.ts';
import type { Opener } from './client.ts';
import type { InstanceId } from './liveness.ts';
import { Lookout } from './lookout.ts';
import { machineMs, readBootId } from './machine.ts';
import { inodeOf, isVolatile } from './private-files.ts';
import type { InstanceRow, Notice, Place } from './rows.ts';
import { Store } from './store.ts';
import { Transactions, type Work } from './transactions.ts';

/** How long work of our own may wait for the file: looking out, burying, leaving. */
const OWN_WORK_MS = 2_000;

/** So many renewals are one piece of work: a transaction ends between two pieces, not within one. */
const RENEWED_TOGETHER = 32;

/** So many leftovers of dead processes are looked for when a backend opens its files. */
const SWEEP_AT_ONCE = 32;

type LossCallback = (owner: OwnerId, reason: LossReason | 'at-risk') => void;

export interface SqliteBackendSettings {
  readonly open: Opener;
  readonly directory: string;
  readonly clock: Clock;
  /** Undefined: that of this machine. */
  readonly bootId: string | undefined;
  readonly liveness: 'at-once' | 'after-ttl';
}

export class SqliteBackend
  implements Backend, Fences, Renews, Queues, Withdraws, Transfers, Notifies, ReportsLoss, Inspects, Breaks
{
  readonly id = 'sqlite';
  readonly tokenSource = 'sqlite';
  readonly guarantee: Guarantee;
  readonly #settings: SqliteBackendSettings;
  readonly #transactions: Transactions;
  readonly #lookout: Lookout;
  readonly #lossCallbacks: Set<LossCallback> = new Set();
  #closed: Promise<void> | undefined;

  constructor(settings: SqliteBackendSettings) {
    this.#settings = settings;
    this.guarantee = {
      liveness: settings.liveness,
      survivesFailover: 'does-not-apply',
      clockAssumption: 'none: all processes read the monotonic clock of one machine, which nobody can set',
      // On a file system that a reboot empties, the clock alone keeps tokens growing over it.
      fencing: isVolatile(settings.directory) ? 'counter-and-server-clock' : 'counter-and-durable-floor',
      fairness: 'first-come-first-served',
    };
    const { clock, directory } = settings;
    this.#transactions = new Transactions({
      clock,
      directory,
      // The system clock is counted from the start of each process; rows need one that all processes share.
      nowMs: clock === systemClock ? machineMs : () => clock.now(),
      open: () => this.#openStore(),
      committed: (store, notices) => this.#deliver(store, notices),
      replaced: () => this.#lookout.wakeAll(),
    });
    this.#lookout = new Lookout({
      clock,
      probe: ({ id, inode }) => this.#transactions.store?.probes.look(id, inode) ?? 'unknown',
      isWatching: () => this.#transactions.store?.wakeUp.ensureWatching() ?? false,
      read: (work) => this.#ownWork(work),
      bury: (dead) => this.#bury(dead),
      broken: (owner) => this.#reportBroken(owner),
    });
  }

  async tryAcquire(request: AcquireRequest, deadline: Instant): Promise<Granted | Busy> {
    const ask = () => this.#run(request.name, deadline, (table) => table.tryAcquire(request));
    let answer = await ask();
    if (answer.outcome === 'busy' && (await this.#buryDead([answer.holder]))) answer = await ask();
    if (answer.outcome === 'granted') return answer;
    return { outcome: 'busy', retryInMs: answer.retryInMs };
  }

  async queue(step: 'enter' | 'stay', request: AcquireRequest, deadline: Instant): Promise<Granted | Waiting | Gone> {
    const answer = await this.#run(request.name, deadline, (table) => table.queue(step, request));
    return this.#standing(request.owner, answer);
  }

  async renew(holds: readonly Hold[], deadline: Instant): Promise<readonly RenewAnswer[]> {
    const parts: (readonly Hold[])[] = [];
    for (let from = 0; from < holds.length; from += RENEWED_TOGETHER) {
      parts.push(holds.slice(from, from + RENEWED_TOGETHER));
    }
    const settled = await Promise.allSettled(parts.map((part) => this.#renewPart(part, deadline)));
    const [first] = settled;
    if (first?.status === 'rejected' && settled.every(({ status }) => status === 'rejected')) throw first.reason;
    return settled.flatMap((part, index): readonly RenewAnswer[] =>
      part.status === 'fulfilled' ? part.value : (parts[index] ?? []).map(() => 'unknown'),
    );
  }

  async #renewPart(holds: readonly Hold[], deadline: Instant): Promise<readonly RenewAnswer[]> {
    const { answers, broken } = await this.#run(holds[0]?.name ?? '', deadline, (table) => {
      const answers = holds.map((hold): RenewAnswer => (table.renew(hold) ? 'renewed' : 'lost'));
      return { answers, broken: answers.includes('lost') ? table.takeBroken() : [] };
    });
    for (const owner of broken) this.#reportBroken(owner); // before the answer, which knows no reason
    return answers;
  }

  async release(hold: Hold, deadline: Instant): Promise<ReleaseAnswer> {
    const released = await this.#run(hold.name, deadline, (table) => table.release(hold));
    return released ? 'released' : 'not-held';
  }

  async withdraw(hold: Hold, { mayArriveLate }: { mayArriveLate: boolean }, deadline: Instant): Promise<void> {
    await this.#run(hold.name, deadline, (table) => table.withdraw(hold, mayArriveLate));
    this.#lookout.stands(hold.owner, undefined);
  }

  async transfer(
    hold: Hold,
    next: AcquireRequest,
    deadline: Instant,
  ): Promise<Granted | Waiting | Gone | { readonly outcome: 'not-held' }> {
    const answer = await this.#run(hold.name, deadline, (table) => table.transfer(hold, next));
    return this.#standing(next.owner, answer);
  }

  listen(request: AcquireRequest, wake: (granted?: Granted) => void): () => void {
    return this.#lookout.listen(request, wake);
  }

  onLoss(callback: LossCallback): () => void {
    this.#lossCallbacks.add(callback);
    return () => this.#lossCallbacks.delete(callback);
  }

  async inspect(name: string, deadline: Instant): Promise<LockReport> {
    const involved = await this.#run(name, deadline, (table) => table.reports.involved(name));
    await this.#buryDead(involved);
    return this.#run(name, deadline, (table) => table.reports.inspect(name));
  }

  async list(deadline: Instant): Promise<readonly LockReport[]> {
    const involved = await this.#run('', deadline, (table) => table.reports.involved());
    await this.#buryDead(involved);
    return this.#run('', deadline, (table) => table.reports.list());
  }

  breakLock(name: string, deadline: Instant): Promise<{ broken: LockReport['holder']; raiseTo: bigint }> {
    return this.#run(name, deadline, (table) => table.breakLock(name));
  }

  /** Ends what this object still holds or waits for, and closes its files. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#lookout.close();
    const store = this.#transactions.store;
    // If the file is in use for too long, whoever waits finds us dead.
    const left =
      store &&
      (await this.#ownWork((table) => table.bury(store.life.id)).then(
        () => true,
        () => false,
      ));
    await this.#transactions.close();
    if (left) store.life.forget();
  }

  #openStore(): Store {
    const { open, directory, bootId, liveness } = this.#settings;
    const store = new Store({
      open,
      directory,
      bootId: bootId ?? readBootId(),
      provable: liveness === 'at-once',
      onWake: () => this.#lookout.read(),
    });
    // Its look at the tables comes before that for which the files are opened: after a first acquire this process is at
    // rest, and whoever stops it then does not stop it in the middle of a step.
    void this.#sweep(store);
    return store;
  }

  #run<Answer>(name: string, deadline: Instant, work: Work<Answer>): Promise<Answer> {
    if (this.#closed !== undefined) {
      return Promise.reject(new LockError('CLOSED', 'This sqlite backend was closed.', { lockName: name }));
    }
    return this.#transactions.run(name, deadline, work);
  }

  #ownWork<Answer>(work: Work<Answer>, order: { readonly first?: boolean } = {}): Promise<Answer> {
    const { clock } = this.#settings;
    return this.#transactions.run('', Instant.plus(clock.now(), OWN_WORK_MS), work, order);
  }

  /** The answer for the caller; the lookout hears who stands where. */
  #standing<Other extends { readonly outcome: string }>(owner: OwnerId, answer: Place | Other): Waiting | Other {
    const place = 'waiting' in answer ? answer : undefined;
    this.#lookout.stands(owner, place);
    return 'waiting' in answer ? answer.waiting : answer;
  }

  /** Looks whether some of these are dead, and ends what those have. Whether there were any. */
  async #buryDead(instances: readonly (InstanceRow | undefined)[]): Promise<boolean> {
    const probes = this.#transactions.store?.probes;
    const dead = instances.flatMap((row) => (row && probes?.look(row.id, row.inode) === 'dead' ? [row.id] : []));
    if (dead.length > 0) await this.#bury(dead);
    return dead.length > 0;
  }

  async #bury(dead: readonly InstanceId[]): Promise<void> {
    await this.#ownWork((table) => {
      for (const id of dead) table.bury(id);
    });
    this.#removeFiles(this.#transactions.store, dead);
  }

  /** Ends what processes have left that died while nobody was looking. */
  async #sweep(store: Store): Promise<void> {
    try {
      const folder = path.join(store.folder, 'alive');
      const all = readdirSync(folder);
      const from = Math.floor(Math.random() * all.length); // so that the living in front do not hide the dead behind
      const ids = [...all.slice(from), ...all.slice(0, from)].slice(0, SWEEP_AT_ONCE);
      const read: Work<(string | undefined)[]> = (table) => ids.map((id) => table.instances.get(id)?.inode);
      const inodes = await this.#ownWork(read, { first: true });
      const dead = ids.filter((id, index) => {
        // What no row names is a leftover if nobody holds it, whichever file it is.
        const inode = inodes[index] ?? inodeOf(path.join(folder, id)) ?? '';
        return store.probes.look(id, inode) === 'dead';
      });
      if (dead.length > 0) await this.#bury(dead);
    } catch {
      // It is only tidying up.
    }
  }

  #removeFiles(store: Store | undefined, dead: readonly InstanceId[]): void {
    for (const id of dead) {
      store?.probes.forget(id);
      store?.wakeUp.forget(id);
    }
  }

  #deliver(store: Store, notices: readonly Notice[]): void {
    const others = new Set<InstanceId>();
    for (const notice of notices) {
      if (notice.to !== store.life.id) others.add(notice.to);
      else if (notice.news === 'granted') this.#lookout.tell(notice.owner, notice.granted);
      else if (notice.news === 'broken') this.#reportBroken(notice.owner);
      else this.#lookout.read();
    }
    for (const id of others) store.wakeUp.touch(id);
  }

  #reportBroken(owner: OwnerId): void {
    for (const callback of [...this.#lossCallbacks]) callback(owner, 'broken');
  }
}
