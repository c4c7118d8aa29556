import { hostname } from 'node:os';
import type {
  AcquireRequest,
  Backend,
  Breaks,
  Busy,
  Granted,
  Guarantee,
  Hold,
  Inspects,
  LockReport,
  OwnerId,
  ReleaseAnswer,
  RenewAnswer,
  Renews,
  ReportsLoss,
  Withdraws,
} from '../../core/backend.ts';
import { callAfterInput, type Instant, systemClock } from '../../core/clock.ts';
import { BackendUnavailableError, LockError, type LossReason, OutcomeUnknownError } from '../../core/errors.ts';
import { validity } from '../../core/lease.ts';
import type { Task } from '../redis/batch.ts';
import type { RedisCommands } from '../redis/client.ts';
import type { EvictionRule } from '../redis/health.ts';
import { lockKey } from '../redis/layout.ts';
import { Attempt } from './attempt.ts';
import { Errands } from './errands.ts';
import { listLocks } from './list.ts';
import { Patience } from './patience.ts';
import { tooFewAnswers, unanswered } from './problems.ts';
import type { Operation } from './scripts.ts';
import { describeOwner, readHolder } from './values.ts';
import { Voter } from './voter.ts';
import { askAll, majority, type Outcome, type Question, type Vote } from './votes.ts';

/** As in holdfast/redis: for longer than an old connection can still deliver a request. */
const LATEST_ARRIVAL_MS = 1_200_000;

export interface RedlockBackendSettings {
  readonly keyPrefix: string;
  readonly eviction: EvictionRule;
  readonly nodeTimeoutMs: number;
}

/** How long `close` waits at least for the servers that have not answered yet to take their vote back. */
const LAST_TRY_MS = 1_000;

export class RedlockBackend implements Backend, Renews, Withdraws, Inspects, Breaks, ReportsLoss {
  readonly id = 'redlock';
  readonly guarantee: Guarantee = {
    liveness: 'after-ttl',
    survivesFailover: 'no',
    clockAssumption:
      "no server's clock jumps ahead by what is left of a lease, and none forgets its keys; clients' clocks do not matter",
    fencing: 'none',
    fairness: 'none',
  };
  readonly #voters: readonly Voter[];
  readonly #settings: RedlockBackendSettings;
  readonly #host: string = hostname();
  readonly #who: string = describeOwner(process.pid, this.#host, undefined);
  /** What is held, or was granted a moment ago. */
  readonly #attempts: Map<OwnerId, Attempt> = new Map();
  readonly #errands: Errands = new Errands();
  readonly #patience: Patience;
  /** Whether a majority has answered, ever. */
  #isConnected = false;
  readonly #lossCallbacks: Set<(owner: OwnerId, reason: LossReason | 'at-risk') => void> = new Set();

  constructor(servers: readonly RedisCommands[], settings: RedlockBackendSettings) {
    this.#settings = settings;
    const runIds = new Map<string, Voter>();
    const claimRunId = (runId: string, voter: Voter): Voter => {
      const first = runIds.get(runId) ?? voter;
      runIds.set(runId, first);
      return first;
    };
    const { eviction, nodeTimeoutMs } = settings;
    this.#patience = new Patience(nodeTimeoutMs);
    this.#voters = servers.map(
      (commands, at) => new Voter(at + 1, commands, { eviction, silentAfterMs: nodeTimeoutMs, claimRunId }),
    );
  }

  /** Rejects with `BackendUnavailableError` if too few servers answered: then what was given is being taken back. */
  async tryAcquire(request: AcquireRequest, deadline: Instant): Promise<Granted | Busy> {
    const { name, owner } = request;
    const ttlMs = Math.max(1, Math.floor(request.ttlMs));
    const attempt = this.#attempts.get(owner) ?? new Attempt();
    this.#attempts.set(owner, attempt);
    const task = this.#acquireTask(request, this.#whoOf(request));
    const limit = this.#limit(deadline);
    const outcome = await askAll(
      this.#voters,
      {
        ask: (voter, isOver, tell) => {
          attempt.asked(voter);
          voter.ask(task, isOver, tell);
        },
        isYes: (answer) => answer === 'granted',
        onVote: (voter, vote) => this.#take(attempt, voter, vote, request),
      },
      limit,
    );
    if (outcome.decision === 'yes' && !attempt.isOver) return { outcome: 'granted', ttlMs };
    this.#end(request);
    for (const voter of this.#voters) if (attempt.mayHave(voter)) this.#takeBack(voter, request, attempt);
    if (outcome.answered < majority(this.#voters.length)) throw tooFewAnswers(name, outcome, limit.limitMs);
    const retryInMs = freeIn(outcome);
    return retryInMs === undefined ? { outcome: 'busy' } : { outcome: 'busy', retryInMs };
  }

  async release(hold: Hold, deadline: Instant): Promise<ReleaseAnswer> {
    const outcome = await this.#leave(hold, 'release', deadline);
    // One server more or less does not matter: the lock is free when a majority has no vote of this owner any more.
    return outcome.decision === 'no' ? 'not-held' : 'released';
  }

  async withdraw(hold: Hold, { mayArriveLate }: { readonly mayArriveLate: boolean }, deadline: Instant): Promise<void> {
    await this.#leave(hold, mayArriveLate ? 'withdraw' : 'release', deadline);
  }

  async renew(holds: readonly Hold[], deadline: Instant): Promise<readonly RenewAnswer[]> {
    const answers = await Promise.allSettled(holds.map((hold) => this.#renewOne(hold, deadline)));
    const [first] = answers;
    if (first?.status === 'rejected' && answers.every(({ status }) => status === 'rejected')) throw first.reason;
    return answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : 'unknown'));
  }

  onLoss(callback: (owner: OwnerId, reason: LossReason | 'at-risk') => void): () => void {
    this.#lossCallbacks.add(callback);
    return () => this.#lossCallbacks.delete(callback);
  }

  async inspect(name: string, deadline: Instant): Promise<LockReport> {
    const task = this.#task('inspect', name, [], []);
    const question: Question = { ask: (voter, isOver, tell) => voter.ask(task, isOver, tell), isYes: () => true };
    const outcome = await askAll(this.#voters, question, { ...this.#limit(deadline), all: true });
    if (outcome.answered < majority(this.#voters.length)) {
      throw new BackendUnavailableError(unanswered('The question for the holder', name, outcome), { lockName: name });
    }
    return { name, holder: readHolder(outcome.votes), waiters: [] };
  }

  list(deadline: Instant): Promise<readonly LockReport[]> {
    const { keyPrefix, nodeTimeoutMs } = this.#settings;
    return listLocks(this.#voters, keyPrefix, nodeTimeoutMs, (name) => this.inspect(name, deadline));
  }

  /** The holder learns it when it renews. */
  async breakLock(
    name: string,
    deadline: Instant,
  ): Promise<{ readonly broken: LockReport['holder']; readonly raiseTo: undefined }> {
    const { holder } = await this.inspect(name, deadline);
    if (holder === null) return { broken: null, raiseTo: undefined };
    const task = this.#task('break', name, [String(LATEST_ARRIVAL_MS)], [holder.owner]);
    const question: Question = {
      ask: (voter, isOver, tell) => voter.ask(task, isOver, tell),
      isYes: (answer) => answer === 'broken',
    };
    const outcome = await askAll(this.#voters, question, { ...this.#limit(deadline), all: true });
    if (outcome.answered < majority(this.#voters.length)) {
      throw new OutcomeUnknownError(unanswered('The break', name, outcome), { lockName: name });
    }
    return { broken: holder, raiseTo: undefined };
  }

  async close(): Promise<void> {
    this.#lossCallbacks.clear();
    await this.#errands.close(Math.max(LAST_TRY_MS, this.#settings.nodeTimeoutMs));
    for (const { commands } of this.#voters) commands.close?.();
  }

  /** Rejects with `OutcomeUnknownError` where neither a majority has it nor a majority has not. */
  async #renewOne(hold: Hold, deadline: Instant): Promise<'renewed' | 'lost'> {
    const { name, owner, ttlMs } = hold;
    const provenUntil = validity(systemClock.now(), ttlMs);
    const task = this.#task('renew', name, [milliseconds(ttlMs)], [owner]);
    const absent: Voter[] = [];
    let isProven = false;
    let isBroken = false;
    const outcome = await askAll(
      this.#voters,
      {
        ask: (voter, isOver, tell) => voter.ask(task, isOver, tell),
        isYes: (answer) => answer === 'renewed',
        onVote: (voter, vote) => {
          if (vote === 'broken') isBroken = true;
          if (vote !== 'absent') return;
          if (isProven) this.#putBack(voter, hold, provenUntil);
          else absent.push(voter);
        },
      },
      this.#limit(deadline),
    );
    if (outcome.decision === 'open') {
      throw new OutcomeUnknownError(unanswered('The renewal', name, outcome), { lockName: name });
    }
    if (outcome.decision === 'yes') {
      isProven = true;
      for (const voter of absent) this.#putBack(voter, hold, provenUntil);
      return 'renewed';
    }
    this.#end(hold);
    for (const voter of this.#voters) this.#takeBack(voter, hold, undefined);
    if (isBroken) for (const callback of [...this.#lossCallbacks]) callback(owner, 'broken');
    return 'lost';
  }

  /**
   * Gives the vote of a server that has lost it to its owner again. Only after a renewal in which a majority of the others
   * still had it, so that nobody else can have the lock; and it counts from the next renewal on.
   */
  #putBack(voter: Voter, hold: Hold, provenUntil: Instant): void {
    const attempt = this.#attempts.get(hold.owner);
    if (attempt === undefined || attempt.isOver || systemClock.now() >= provenUntil) return;
    attempt.asked(voter);
    const isOver = (): boolean => attempt.isOver || systemClock.now() >= provenUntil;
    const late = (): void => {
      // What was proven may not be true any more when it arrives: this server gives the lease no vote again.
      attempt.doubt(voter);
      this.#takeBack(voter, hold, attempt);
    };
    const cancel = callAfterInput(late, this.#settings.nodeTimeoutMs, { keepAlive: false });
    const take = (vote: Vote): void => {
      cancel();
      if (!attempt.mayArriveLate(voter)) this.#take(attempt, voter, vote, hold);
    };
    voter.ask(this.#acquireTask(hold, this.#who), isOver, take);
  }

  #take(attempt: Attempt, voter: Voter, vote: Vote, hold: Hold): void {
    if (attempt.take(voter, vote)) this.#takeBack(voter, hold, attempt);
  }

  /** Marks an acquisition as over. Where a request of it may still arrive, it is refused from now on. */
  #end(hold: Hold): Attempt | undefined {
    const attempt = this.#attempts.get(hold.owner);
    this.#attempts.delete(hold.owner);
    attempt?.end();
    if (attempt !== undefined) {
      for (const voter of this.#voters) if (attempt.mayArriveLate(voter)) this.#takeBack(voter, hold, attempt);
    }
    return attempt;
  }

  /** Asks all servers to take their vote back. Resolves when so many have that another can get a majority. */
  async #leave(hold: Hold, operation: 'release' | 'withdraw', deadline: Instant): Promise<Outcome> {
    const attempt = this.#end(hold);
    const task = this.#leaveTask(hold, operation);
    const isKnown = ({ answered }: Outcome): boolean => answered >= majority(this.#voters.length);
    const outcome = await askAll(
      this.#voters,
      {
        ask: (voter, isOver, tell) => {
          attempt?.leaving(voter);
          voter.ask(task, isOver, tell);
        },
        isYes: (answer) => answer === 'released',
        onVote: (voter, vote, before) => {
          attempt?.left(voter);
          if (typeof vote === 'string' || before === undefined || !isKnown(before)) return;
          this.#takeBackWhatIsLeft(voter, hold, attempt);
        },
      },
      this.#limit(deadline),
    );
    if (!isKnown(outcome)) {
      throw new OutcomeUnknownError(unanswered('The release', hold.name, outcome), { lockName: hold.name });
    }
    for (const [at, vote] of outcome.votes.entries()) {
      if (vote instanceof LockError) this.#takeBackWhatIsLeft(this.#voters[at] as Voter, hold, attempt);
    }
    return outcome;
  }

  /** After a release that this server has not confirmed. One that has nothing of it needs not be asked. */
  #takeBackWhatIsLeft(voter: Voter, hold: Hold, attempt: Attempt | undefined): void {
    if (attempt === undefined || attempt.mayHave(voter)) this.#takeBack(voter, hold, attempt);
  }

  /** Asks one server to take its vote back, in the background, until it has answered or the TTL has done it. */
  #takeBack(voter: Voter, hold: Hold, attempt: Attempt | undefined): void {
    const task = this.#leaveTask(hold, attempt?.mayArriveLate(voter) === true ? 'withdraw' : 'release');
    this.#errands.run(hold.ttlMs, () => {
      attempt?.leaving(voter);
      return new Promise((resolve, reject) => {
        voter.ask(
          task,
          () => false,
          (answer) => {
            attempt?.left(voter);
            if (typeof answer === 'string') resolve(answer);
            else reject(answer);
          },
        );
      });
    });
  }

  #acquireTask({ name, owner, ttlMs }: Hold, who: string): Task<Operation> {
    const value = `${owner} ${systemClock.date().getTime()} ${who}`;
    return this.#task('acquire', name, [milliseconds(ttlMs)], [value]);
  }

  #leaveTask({ name, owner }: Hold, operation: 'release' | 'withdraw'): Task<Operation> {
    return this.#task(operation, name, operation === 'release' ? [] : [String(LATEST_ARRIVAL_MS)], [owner]);
  }

  #task(operation: Operation, lockName: string, shared: readonly string[], own: readonly string[]): Task<Operation> {
    return { operation, lockName, key: lockKey(this.#settings.keyPrefix, lockName), shared, own };
  }

  #whoOf({ purpose }: AcquireRequest): string {
    return purpose === undefined ? this.#who : describeOwner(process.pid, this.#host, purpose);
  }

  /** How long answers are waited for. The first ones of all come with the connections, which may take longer. */
  #limit(deadline: Instant): { readonly limitMs: number; readonly patience: Patience } {
    const leftMs = deadline - systemClock.now();
    this.#isConnected ||= this.#voters.filter(({ isKnown }) => isKnown).length >= majority(this.#voters.length);
    const limitMs = this.#isConnected ? Math.min(this.#settings.nodeTimeoutMs, leftMs) : leftMs;
    return { limitMs, patience: this.#patience };
  }
}

/** As the servers want it: whole, and not more than was asked for. */
function milliseconds(ms: number): string {
  return String(Math.max(1, Math.floor(ms)));
}

/** When so many votes have run out that a majority can be had, if nobody renews. */
function freeIn({ yes, votes }: Outcome): number | undefined {
  const rests = votes
    .map((vote) => (typeof vote === 'string' ? /^busy (\d+)$/.exec(vote)?.[1] : undefined))
    .filter((rest) => rest !== undefined)
    .map(Number)
    .sort((one, other) => one - other);
  return rests[majority(votes.length) - yes - 1];
}
