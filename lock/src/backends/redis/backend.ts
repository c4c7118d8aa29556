import { randomBytes } from 'node:crypto';
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
} from '../../core/backend.ts';
import { BackendUnavailableError, LockError, type LossReason, OutcomeUnknownError, quote } from '../../core/errors.ts';
import { parseToken } from '../../core/fencing.ts';
import { Batch, type Task } from './batch.ts';
import type { RedisCommands } from './client.ts';
import { translate } from './errors.ts';
import { checkEviction, checkProbe, type EvictionRule } from './health.ts';
import { beside, checkSlot, lockKey } from './layout.ts';
import { scanLocks } from './list.ts';
import { type ReplicaRule, Replicas } from './replicas.ts';
import { describeOwner, readGranted, readInspection, readWaiting } from './replies.ts';
import { clusterScripts, type Operation, scripts, shardScripts } from './scripts.ts';
import { type ShardInbox, WakeUps } from './wake-ups.ts';

/**
 * For how long a withdrawn owner id is refused: longer than Linux goes on trying to deliver what an old connection had
 * sent, which is 924 s (`tcp_retries2`). A request of that owner cannot arrive later.
 */
const LATEST_ARRIVAL_MS = 1_200_000;

/**
 * For how long the owner id of a grant that was undone is refused: longer than the waiter whose it was waits before it asks
 * again, which then learns that it needs a new one.
 */
const UNDONE_MS = 60_000;

/** How often a break looks again when the lock changes hands under it. */
const BREAK_ATTEMPTS = 5;

export interface RedisBackendSettings {
  readonly keyPrefix: string;
  readonly eviction: EvictionRule;
  readonly subscriber: boolean;
  /** Undefined: a grant counts as soon as the primary has made it. */
  readonly replication: ReplicaRule | undefined;
}

export class RedisBackend
  implements Backend, Fences, Renews, Queues, Withdraws, Transfers, Notifies, Inspects, Breaks, ReportsLoss
{
  readonly id = 'redis';
  readonly tokenSource: string;
  readonly guarantee: Guarantee = {
    liveness: 'after-ttl',
    survivesFailover: 'no',
    clockAssumption:
      "the server's clock does not jump ahead by what is left of a lease, nor does a failover make it; where that loses the counter of tokens, the new clock is not behind the old one; clients' clocks do not matter",
    fencing: 'counter-and-server-clock',
    fairness: 'first-come-first-served',
  };
  readonly #commands: RedisCommands;
  readonly #settings: RedisBackendSettings;
  #batch: Batch;
  readonly #wakeUps: WakeUps;
  readonly #replicas: Replicas | undefined;
  /** Owner ids whose grant is being undone. Until that is answered they must not be granted anew. */
  readonly #undoing: Set<OwnerId> = new Set();
  /** Names the channel on which this process, and no other, hears of what concerns it. */
  readonly #inbox: string = randomBytes(16).toString('base64url');
  readonly #host: string = hostname();
  /** Who we are, for a request without a purpose. An @ before the inbox says that we are told on the shard of the lock. */
  #who: string = describeOwner(this.#inbox, process.pid, this.#host, undefined);
  #onShards = false;
  readonly #lossCallbacks: Set<(owner: OwnerId, reason: LossReason | 'at-risk') => void> = new Set();
  #checked = false;
  #checking: Promise<void> | undefined;

  constructor(commands: RedisCommands, settings: RedisBackendSettings) {
    this.#commands = commands;
    this.#settings = settings;
    this.tokenSource = `redis:${settings.keyPrefix}`;
    this.#batch = new Batch(commands, commands.cluster === true ? clusterScripts : scripts);
    if (settings.replication !== undefined) this.#replicas = new Replicas(commands, settings.replication);
    const listening = settings.subscriber ? commands : { send: (args: readonly string[]) => commands.send(args) };
    this.#wakeUps = new WakeUps(listening, this.#inbox, (owner) => this.#tellLoss(owner, 'broken'));
  }

  async tryAcquire(request: AcquireRequest): Promise<Granted | Busy> {
    const { name, owner, ttlMs } = request;
    const reply = await this.#ask('acquire', name, [milliseconds(ttlMs), this.#whoOf(request)], [owner]);
    const granted = readGranted(reply, Math.floor(ttlMs));
    if (granted !== undefined) return this.#replicated(request, granted);
    const [, remaining] = reply.split(' ');
    return remaining === undefined ? { outcome: 'busy' } : { outcome: 'busy', retryInMs: Number(remaining) };
  }

  async queue(step: 'enter' | 'stay', request: AcquireRequest): Promise<Granted | Waiting | Gone> {
    if (this.#undoing.has(request.owner)) return { outcome: 'gone' };
    const answer = this.#readStep(
      await this.#ask(step, request.name, this.#sharedOf(request), [request.owner]),
      request,
    );
    return answer.outcome === 'granted' ? this.#replicated(request, answer) : answer;
  }

  async release({ name, owner }: Hold): Promise<ReleaseAnswer> {
    return (await this.#ask('release', name, [], [owner])) as ReleaseAnswer;
  }

  async renew(holds: readonly Hold[]): Promise<readonly RenewAnswer[]> {
    // Who holds for so long that it renews wants to hear at once when an operator breaks its lock.
    if (this.#lossCallbacks.size > 0) this.#wakeUps.open();
    const answers = await Promise.allSettled(holds.map((hold) => this.#renewOne(hold)));
    const [first] = answers;
    if (first?.status === 'rejected' && answers.every(({ status }) => status === 'rejected')) throw first.reason;
    return answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : 'unknown'));
  }

  async withdraw({ name, owner }: Hold, { mayArriveLate }: { readonly mayArriveLate: boolean }): Promise<void> {
    this.#undoing.delete(owner); // from here on the core sees to it, and does not use this owner id again
    await this.#ask('withdraw', name, [mayArriveLate ? String(LATEST_ARRIVAL_MS) : '0'], [owner]);
  }

  async transfer(
    hold: Hold,
    next: AcquireRequest,
  ): Promise<Granted | Waiting | Gone | { readonly outcome: 'not-held' }> {
    if (this.#undoing.has(next.owner)) return { outcome: 'gone' };
    const reply = await this.#ask('transfer', hold.name, this.#sharedOf(next), [hold.owner, next.owner]);
    if (reply === 'not-held') return { outcome: 'not-held' };
    const answer = this.#readStep(reply, next);
    if (answer.outcome !== 'granted') return answer;
    return this.#replicated(next, answer).catch((error: unknown) => {
      // The hold has ended all the same; who waits here asks anew, and is told then.
      if (error instanceof LockError && error.code === 'UNAVAILABLE') return { outcome: 'gone' };
      throw error;
    });
  }

  listen({ owner }: AcquireRequest, wake: (granted?: Granted) => void): () => void {
    // What was handed over is not replicated yet: the waiter asks, and with its answer the replicas are waited for.
    return this.#wakeUps.listen(owner, this.#replicas === undefined ? wake : () => wake());
  }

  onLoss(callback: (owner: OwnerId, reason: LossReason | 'at-risk') => void): () => void {
    this.#lossCallbacks.add(callback);
    return () => this.#lossCallbacks.delete(callback);
  }

  async inspect(name: string): Promise<LockReport> {
    return readInspection(name, await this.#ask('inspect', name, [], []));
  }

  async list(): Promise<readonly LockReport[]> {
    try {
      return await scanLocks(this.#commands, this.#settings.keyPrefix, (name) => this.inspect(name));
    } catch (error) {
      throw translate(error, '*');
    }
  }

  async breakLock(name: string): Promise<{ readonly broken: LockReport['holder']; readonly raiseTo: bigint }> {
    for (let attempt = 0; attempt < BREAK_ATTEMPTS; attempt++) {
      const { holder } = await this.inspect(name);
      const reply = await this.#ask('break', name, [String(LATEST_ARRIVAL_MS)], [holder?.owner ?? '']);
      const [word, token] = reply.split(' ');
      if (word === 'broken' && token !== undefined) return { broken: holder, raiseTo: parseToken(token) };
    }
    throw new BackendUnavailableError(
      `The lock ${quote(name)} was not broken: it changed hands each of the ${BREAK_ATTEMPTS} times between look and break.`,
      { lockName: name },
    );
  }

  async close(): Promise<void> {
    this.#lossCallbacks.clear();
    this.#wakeUps.close();
    this.#replicas?.close();
    this.#commands.close?.();
  }

  async #renewOne({ name, owner, ttlMs }: Hold): Promise<RenewAnswer> {
    const reply =
      this.#replicas === undefined
        ? await this.#ask('renew', name, [milliseconds(ttlMs)], [owner])
        : await this.#replicas.renew(this.#renewal({ name, owner, ttlMs }));
    if (reply === 'broken') {
      this.#tellLoss(owner, 'broken');
      return 'lost';
    }
    return reply as RenewAnswer;
  }

  /** The grant, if enough replicas have it. Otherwise it is undone: rejects with `UNAVAILABLE` if that is certain. */
  async #replicated(hold: Hold, granted: Granted): Promise<Granted> {
    if (this.#replicas === undefined) return granted;
    const { name, owner } = hold;
    let problem: LockError;
    try {
      const reply = await this.#replicas.renew(this.#renewal(hold));
      if (reply === 'renewed') return granted;
      problem = new BackendUnavailableError(
        `The lock ${quote(name)} was gone before its replicas could be asked: has the primary changed just now?`,
        { lockName: name },
      );
    } catch (error) {
      problem = error as LockError;
    }
    this.#undoing.add(owner);
    try {
      await this.#ask('withdraw', name, [String(UNDONE_MS)], [owner]);
    } catch (error) {
      const { code, message } = error as LockError;
      if (code !== 'OUTCOME_UNKNOWN') this.#undoing.delete(owner); // nothing is under way that could undo a later grant
      throw new OutcomeUnknownError(`${problem.message} It could not be given back yet: ${message}`, {
        lockName: name,
        cause: problem,
      });
    }
    this.#undoing.delete(owner);
    if (problem.code !== 'OUTCOME_UNKNOWN') throw problem;
    throw new BackendUnavailableError(`${problem.message} The lock was given back.`, {
      lockName: name,
      cause: problem,
    });
  }

  #renewal({ name, owner, ttlMs }: Hold): Task {
    const key = lockKey(this.#settings.keyPrefix, name);
    return { operation: 'renew', lockName: name, key, shared: [milliseconds(ttlMs)], own: [owner] };
  }

  #ask(operation: Operation, lockName: string, shared: readonly string[], own: readonly string[]): Promise<string> {
    const key = lockKey(this.#settings.keyPrefix, lockName);
    if (this.#commands.cluster === true) checkSlot(key, lockName);
    const task: Task = { operation, lockName, key, shared, own };
    if (this.#checked) return this.#batch.run(task);
    this.#checking ??= this.#check(task).finally(() => {
      this.#checking = undefined;
    });
    return this.#checking.then(() => this.#batch.run(task));
  }

  /** Looks at the server once; until that has succeeded, every operation begins with it. */
  async #check(task: Task): Promise<void> {
    const { lockName: name, key } = task;
    try {
      const [reply] = await Promise.all([
        this.#probe(task),
        checkEviction(this.#commands, this.#settings.eviction, name),
        this.#replicas?.probe(name, key),
      ]);
      checkProbe(reply, name, this.#commands.cluster === true);
    } catch (error) {
      // Whatever became of the look, the operation itself was not sent.
      const problem = translate(error, name);
      throw problem.code === 'OUTCOME_UNKNOWN'
        ? new BackendUnavailableError(problem.message, { lockName: name, cause: problem })
        : problem;
    }
    this.#checked = true;
  }

  /** Looks whether the cluster has sharded channels, and whether we may use them. Without them messages go to all its nodes. */
  async #probe({ lockName, key }: Task): Promise<string> {
    const task: Task = { operation: 'probe', lockName, key, shared: [], own: [] };
    if (this.#commands.cluster === true) {
      const sharded = new Batch(this.#commands, shardScripts);
      const reply = await sharded.run(task);
      if (!reply.startsWith('failed SPUBLISH ')) {
        this.#batch = sharded;
        this.#onShards = this.#settings.subscriber && this.#commands.sharded === true;
        this.#who = this.#describe(undefined);
        return reply;
      }
    }
    return this.#batch.run(task);
  }

  #sharedOf(request: AcquireRequest): string[] {
    return [milliseconds(request.ttlMs), this.#whoOf(request), milliseconds(request.heartbeatMs)];
  }

  #whoOf({ purpose }: AcquireRequest): string {
    return purpose === undefined ? this.#who : this.#describe(purpose);
  }

  #describe(purpose: string | undefined): string {
    return describeOwner(this.#onShards ? `@${this.#inbox}` : this.#inbox, process.pid, this.#host, purpose);
  }

  /** Where waiters for this lock are told, and how to send ourselves a message that way. */
  #shardInbox(lockName: string): ShardInbox | undefined {
    if (!this.#onShards) return undefined;
    const key = lockKey(this.#settings.keyPrefix, lockName);
    const task: Task = { operation: 'prove', lockName, key, shared: [this.#who], own: [] };
    return {
      channel: `holdfast.inbox:${this.#inbox}${beside((this.#commands.keyPrefix ?? '') + key)}`,
      prove: () => this.#batch.run(task),
    };
  }

  #readStep(reply: string, { name, owner, ttlMs }: Hold): Granted | Waiting | Gone {
    const granted = readGranted(reply, Math.floor(ttlMs));
    const waiting = granted === undefined ? readWaiting(reply) : undefined;
    const askAgainInMs = this.#wakeUps.told(owner, waiting, waiting && this.#shardInbox(name));
    if (granted !== undefined) return granted;
    if (reply === 'gone') return { outcome: 'gone' };
    if (waiting === undefined)
      throw new OutcomeUnknownError(`Redis answered ${quote(reply)}, which we do not understand.`);
    const { lastToken } = waiting;
    if (askAgainInMs === Number.POSITIVE_INFINITY) return { outcome: 'waiting', lastToken };
    return { outcome: 'waiting', lastToken, retryInMs: askAgainInMs };
  }

  #tellLoss(owner: OwnerId, reason: LossReason): void {
    for (const callback of [...this.#lossCallbacks]) callback(owner, reason);
  }
}

/** As the server wants it: whole, and not more than was asked for. */
function milliseconds(ms: number): string {
  return String(Math.max(1, Math.floor(ms)));
}
