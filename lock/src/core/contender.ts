/**
 * A contender is what one process sends to the backend to get one lock: however many callers wait for that name here,
 * one contender waits there. It goes on until it has a grant, an error that asking again cannot mend, or is told to
 * stop; and then it leaves nothing behind.
 *
 * @module
 */
import {
  type AcquireRequest,
  type Backend,
  type Gone,
  type Granted,
  notifies,
  type OwnerId,
  type Queues,
  queues,
  type Waiting,
} from './backend.ts';
import type { BackendCalls } from './call.ts';
import { Instant } from './clock.ts';
import { isTransient, type LockError } from './errors.ts';
import { publish } from './events.ts';
import type { Janitor } from './janitor.ts';
import { type Grant, marginMs, toGrant } from './lease.ts';
import type { Work } from './work.ts';

/** Between attempts on a backend without a queue: not below, not above, with full jitter between. */
const POLL_MS = { first: 25, most: 250 };

/** Between attempts while the backend is away. */
const OUTAGE_MS = { first: 50, most: 1_000 };

/** The heartbeat of a waiter: every third of its TTL, and at least each 5 s. */
export function heartbeatMs(ttlMs: number): number {
  return Math.min(ttlMs / 3, 5_000);
}

/** What a contender works with. */
export interface ContenderTools {
  readonly calls: BackendCalls;
  readonly backend: Backend;
  readonly random: () => number;
  /** Takes requests back in the background. */
  readonly janitor: Janitor;
  newOwner(): OwnerId;
  /** What has to end before the backend is closed. */
  readonly work: Work;
}

/** Who waits for what a contender hears. */
export interface Contending {
  /** An answer that was no grant, or none at all: then the error, for the message of a caller whose time is over. */
  heard(problem: LockError | undefined): void;
  granted(grant: Grant): void;
  failed(error: LockError): void;
}

type Answer = Granted | Waiting | Gone;

const nothing = (): void => undefined;

export class Contender {
  readonly #tools: ContenderTools;
  readonly #contending: Contending;
  #request: AcquireRequest;
  #started = false;
  #stopped = false;
  #stopListening: (() => void) | undefined;
  /** Ends the sleep between two steps. */
  #wake: () => void = nothing;
  #woken = false;
  /** A hand-over that was pushed to us. */
  #pushed: Granted | undefined;
  #onPush: () => void = nothing;
  /** What a step was granted whose answer came after we had given it up. */
  #late: Grant | undefined;
  /** When the last step left that was answered "waiting". */
  #waitingSince: Instant | undefined;
  /** The last token that was given out before that answer: a hand-over with a larger one was made after it. */
  #lastToken: bigint | undefined;
  /** How often in a row no answer came, and how often in all the answer was that we have to wait. */
  #failures = 0;
  #refusals = 0;
  /** Whether a request of this owner id had no answer: it may arrive yet, even after one that was sent later. */
  #unanswered = false;

  constructor(request: AcquireRequest, tools: ContenderTools, contending: Contending) {
    this.#tools = tools;
    this.#contending = contending;
    this.#request = request;
  }

  /**
   * Goes on from the answer to a transfer, which has put this contender into the queue already. Who does so has let it
   * listen since before the transfer left: the hand-over may come sooner than the answer.
   */
  startFrom(waiting: Waiting, sentAt: Instant, unanswered: boolean): void {
    this.#waitingSince = sentAt;
    this.#lastToken = waiting.lastToken;
    this.#unanswered = unanswered;
    this.#started = true;
    void this.#run(this.#wait(waiting));
  }

  get started(): boolean {
    return this.#started;
  }

  start(): void {
    this.#started = true;
    this.listen();
    void this.#run(undefined);
  }

  /** Of one that was not started. */
  stopListening(): void {
    this.#stopListening?.();
  }

  /** Ends the attempt. What it has at the backend is taken back in the background. */
  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  /** It never rejects. */
  async #run(begun: Promise<Grant | undefined> | undefined): Promise<void> {
    const { work } = this.#tools;
    work.begin();
    try {
      let grant = begun === undefined ? undefined : await begun;
      while (grant === undefined && !this.#stopped) grant = await this.#step();
      this.#stopListening?.();
      if (grant === undefined) this.#tools.janitor.withdraw(this.#request, this.#unanswered);
      else this.#contending.granted(grant);
    } catch (error) {
      this.#stopListening?.();
      // A step that failed for good may follow one of which nobody knows the outcome.
      if (this.#unanswered || this.#waitingSince !== undefined)
        this.#tools.janitor.withdraw(this.#request, this.#unanswered);
      this.#contending.failed(error as LockError);
    } finally {
      work.end();
    }
  }

  /** Asks once, and then waits until it is time to ask again. Gives a grant if there is one. */
  async #step(): Promise<Grant | undefined> {
    const sentAt = this.#tools.calls.clock.now();
    this.#woken = false;
    let answer: Answer | undefined;
    try {
      answer = await this.#orPushed(this.#ask(sentAt));
    } catch (error) {
      return this.#afterNoAnswer(error as LockError, sentAt);
    }
    this.#publish(answer?.outcome ?? 'granted', sentAt);
    this.#failures = 0;
    if (answer === undefined) return this.#takePushed();
    if (answer.outcome === 'granted') {
      const grant = this.#toGrant(answer, sentAt);
      if (this.#isUseful(grant)) return this.#stopped ? undefined : grant;
    }
    // That our place is gone says nothing about why we have not got the lock.
    if (answer.outcome !== 'gone') this.#contending.heard(undefined);
    switch (answer.outcome) {
      case 'granted':
        return undefined; // The answer took so long that too little is left: the next step renews it.
      case 'waiting':
        this.#waitingSince = sentAt;
        this.#lastToken = answer.lastToken;
        return this.#wait(answer);
      case 'gone':
        this.#startOver();
        return undefined;
    }
  }

  async #afterNoAnswer(problem: LockError, sentAt: Instant): Promise<Grant | undefined> {
    this.#publish('error', sentAt);
    if (problem.code === 'OUTCOME_UNKNOWN') this.#unanswered = true;
    if (!isTransient(problem)) throw problem;
    this.#contending.heard(problem);
    if (this.#pushed === undefined && this.#late === undefined)
      await this.#sleep(this.#backOff(OUTAGE_MS, this.#failures++));
    // Without a queue there is no place to keep: what the old owner id may have left is taken back under it.
    if (!queues(this.#tools.backend) && !this.#stopped) this.#startOver();
    return this.#takePushed();
  }

  #ask(sentAt: Instant): Promise<Answer> {
    const { backend, calls } = this.#tools;
    const request = this.#request;
    return calls.make(
      'the acquire',
      request.name,
      sentAt,
      (deadline) =>
        queues(backend) ? this.#queueStep(backend, request, deadline) : this.#tryStep(backend, request, deadline),
      (answer) => this.#heardLate(answer, request.owner, sentAt),
    );
  }

  /**
   * Where every answer takes longer than a call, as on a server or in a process that is overloaded, to ask again only adds
   * to it. The lock that such an answer gives is ours all the same, for what is left of its time.
   */
  #heardLate(answer: Answer, owner: OwnerId, sentAt: Instant): void {
    if (answer.outcome !== 'granted' || owner !== this.#request.owner || this.#stopped) return;
    this.#late = this.#toGrant(answer, sentAt);
    this.#onPush();
    this.#wake();
  }

  #queueStep(backend: Queues, request: AcquireRequest, deadline: Instant): Promise<Answer> {
    return backend.queue(this.#waitingSince === undefined ? 'enter' : 'stay', request, deadline);
  }

  /** On a backend without a queue everyone tries again, with jitter; each attempt has an owner id of its own. */
  async #tryStep(backend: Backend, request: AcquireRequest, deadline: Instant): Promise<Answer> {
    const answer = await backend.tryAcquire(request, deadline);
    if (answer.outcome === 'granted') return answer;
    return answer.retryInMs === undefined
      ? { outcome: 'waiting' }
      : { outcome: 'waiting', retryInMs: answer.retryInMs };
  }

  /** The answer, or undefined if a hand-over is pushed to us before it comes, or a late answer has given us the lock. */
  #orPushed(answer: Promise<Answer>): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      this.#onPush = () => {
        // What has no place in the queue yet cannot be handed a lock either.
        const isHandedOver =
          this.#waitingSince !== undefined && this.#pushed !== undefined && this.#isNew(this.#pushed);
        if (isHandedOver || this.#late !== undefined) resolve(undefined);
      };
      answer.then(resolve, reject);
      this.#onPush();
    });
  }

  /** Sleeps until it is time to ask again. Gives a grant if one is pushed meanwhile. */
  async #wait(answer: Waiting): Promise<Grant | undefined> {
    const retryInMs = answer.retryInMs ?? Number.POSITIVE_INFINITY;
    if (queues(this.#tools.backend)) {
      await this.#sleep(Math.min(this.#request.heartbeatMs, retryInMs));
      return this.#takePushed();
    }
    const jitterMs = this.#tools.random() * POLL_MS.first;
    await this.#sleep(Math.min(this.#backOff(POLL_MS, this.#refusals++), retryInMs + jitterMs));
    if (!this.#stopped) this.#startOver();
    return undefined;
  }

  /**
   * The pushed hand-over as a grant, counted from our last step that was answered "waiting". One with too little left is
   * renewed by the next step.
   */
  #takePushed(): Grant | undefined {
    const late = this.#late;
    this.#late = undefined;
    if (late !== undefined && !this.#stopped && this.#isUseful(late)) return late;
    const pushed = this.#pushed;
    this.#pushed = undefined;
    if (this.#stopped || pushed === undefined || this.#waitingSince === undefined || !this.#isNew(pushed))
      return undefined;
    const grant = this.#toGrant(pushed, this.#waitingSince);
    return this.#isUseful(grant) ? grant : undefined;
  }

  #toGrant(answer: Granted, sentAt: Instant): Grant {
    return toGrant(this.#request, answer, sentAt, this.#unanswered);
  }

  /** Whether enough is left of a grant to hand it to a caller. */
  #isUseful(grant: Grant): boolean {
    return grant.validUntil - this.#tools.calls.clock.now() > 2 * marginMs(grant.ttlMs);
  }

  /** The old owner id has no place any more; a new one enters at the end of the queue. */
  #startOver(): void {
    if (this.#unanswered) this.#tools.janitor.withdraw(this.#request, true);
    this.#unanswered = false;
    this.#waitingSince = undefined;
    this.#lastToken = undefined;
    this.#pushed = undefined;
    this.#late = undefined;
    this.#request = { ...this.#request, owner: this.#tools.newOwner() };
    this.listen();
  }

  /** Begins to hear what the backend has to tell; `start` does so by itself. */
  listen(): void {
    const { backend } = this.#tools;
    this.#stopListening?.();
    if (!notifies(backend)) return;
    const { owner } = this.#request;
    this.#stopListening = backend.listen(this.#request, (granted) => {
      if (owner !== this.#request.owner) return;
      this.#woken = true;
      if (granted !== undefined) this.#pushed = granted;
      this.#onPush();
      this.#wake();
    });
  }

  /** Whether a hand-over was made after our last step: an owner id may have been granted, and have run out, before. */
  #isNew(pushed: Granted): boolean {
    const { fencingToken } = pushed;
    return fencingToken !== undefined && this.#lastToken !== undefined && fencingToken > this.#lastToken;
  }

  #sleep(ms: number): Promise<void> {
    const { clock } = this.#tools.calls;
    if (this.#woken || this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = clock.callAt(Instant.plus(clock.now(), ms), () => this.#wake(), { keepAlive: true });
      this.#wake = () => {
        cancel();
        this.#wake = nothing;
        resolve();
      };
    });
  }

  /** Full jitter under a limit that doubles, so that many waiters do not ask in step. */
  #backOff(range: { first: number; most: number }, times: number): number {
    const limit = Math.min(range.most, range.first * 2 ** Math.min(times, 16));
    return limit / 4 + (this.#tools.random() * limit * 3) / 4;
  }

  #publish(outcome: Answer['outcome'] | 'error', askedAt: Instant): void {
    const { clock, backendId } = this.#tools.calls;
    publish('holdfast:attempt', () => ({
      backend: backendId,
      lockName: this.#request.name,
      owner: this.#request.owner,
      outcome,
      tookMs: clock.now() - askedAt,
    }));
  }
}
