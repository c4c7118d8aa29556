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
import { type Grant, marginMs, toGrant } from './lease.ts';

/** Between attempts on a backend without a queue: not below, not above, with full jitter between. */
const POLL_MS = { first: 25, most: 250 };

/** Between attempts while the backend is away. */
const OUTAGE_MS = { first: 50, most: 1_000 };

/** The heartbeat of a waiter: every third of its TTL, and at least each 5 s. */
export function heartbeatMs(ttlMs: number): number {
  return Math.min(ttlMs / 3, 5_000);
}

export interface ContenderTasks {
  readonly calls: BackendCalls;
  readonly backend: Backend;
  readonly random: () => number;
  newOwner(): OwnerId;
  /** Takes a request back in the background. */
  withdraw(request: AcquireRequest, mayArriveLate: boolean): void;
  /** Work under way, which has to end before the backend is closed. */
  track(work: Promise<void>): void;
  /** The last answer, for the message of a caller whose time is over: an error while the backend is away. */
  heard(problem: LockError | undefined): void;
  granted(grant: Grant): void;
  failed(error: LockError): void;
}

type Answer = Granted | Waiting | Gone;

const nothing = (): void => undefined;

export class Contender {
  readonly #tasks: ContenderTasks;
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
  /** When the last step left that was answered "waiting". */
  #waitingSince: Instant | undefined;
  /** The last token that was given out before that answer: a hand-over with a larger one was made after it. */
  #lastToken: bigint | undefined;
  /** Whether a request of this owner id had no answer: it may arrive yet, even after one that was sent later. */
  #unanswered = false;

  constructor(template: Omit<AcquireRequest, 'owner'>, tasks: ContenderTasks) {
    this.#tasks = tasks;
    this.#request = { ...template, owner: tasks.newOwner() };
  }

  /** Goes on from the answer to a transfer, which has put this contender into the queue already. */
  startFrom(request: AcquireRequest, waiting: Waiting, sentAt: Instant, unanswered: boolean): void {
    this.#request = request;
    this.#waitingSince = sentAt;
    this.#lastToken = waiting.lastToken;
    this.#unanswered = unanswered;
    this.start();
  }

  get started(): boolean {
    return this.#started;
  }

  start(): void {
    this.#started = true;
    this.#listen();
    this.#tasks.track(this.#run());
  }

  /** Ends the attempt. What it has at the backend is taken back in the background. */
  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  async #run(): Promise<void> {
    try {
      const grant = await this.#contend();
      this.#stopListening?.();
      if (grant === undefined) this.#tasks.withdraw(this.#request, this.#unanswered);
      else this.#tasks.granted(grant);
    } catch (error) {
      this.#stopListening?.();
      // A step that failed for good may follow one of which nobody knows the outcome.
      if (this.#unanswered || this.#waitingSince !== undefined) this.#tasks.withdraw(this.#request, this.#unanswered);
      this.#tasks.failed(error as LockError);
    }
  }

  /** Step, sleep, step: until there is a grant, or undefined when told to stop. */
  async #contend(): Promise<Grant | undefined> {
    const { clock } = this.#tasks.calls;
    let failures = 0;
    let refusals = 0;
    while (!this.#stopped) {
      const sentAt = clock.now();
      this.#woken = false;
      const answer = await this.#step();
      if (answer === undefined) {
        const pushed = this.#takePushed();
        if (pushed === undefined) await this.#sleep(this.#backOff(OUTAGE_MS, failures++));
        else if (this.#isUseful(pushed)) return pushed;
        continue; // after a hand-over with too little left, the next step renews it
      }
      failures = 0;
      switch (answer.outcome) {
        case 'granted': {
          const grant = this.#toGrant(answer, sentAt);
          if (this.#stopped) return undefined;
          if (this.#isUseful(grant)) return grant;
          break; // The answer took so long that too little is left: the next step renews it.
        }
        case 'waiting': {
          this.#waitingSince = sentAt;
          this.#lastToken = answer.lastToken;
          await this.#wait(answer, refusals++);
          const pushed = this.#stopped ? undefined : this.#takePushed();
          if (pushed !== undefined && this.#isUseful(pushed)) return pushed;
          break;
        }
        case 'gone':
          this.#startOver();
          break;
      }
    }
    return undefined;
  }

  /** One question to the backend. Undefined: no answer, or the backend is away. */
  async #step(): Promise<Answer | undefined> {
    const { backend, calls } = this.#tasks;
    const request = this.#request;
    const askedAt = calls.clock.now();
    try {
      const answer = await this.#orPushed(
        calls.make('the acquire', request.name, (deadline) =>
          queues(backend) ? this.#queueStep(backend, request, deadline) : this.#tryStep(backend, request, deadline),
        ),
      );
      this.#tasks.heard(undefined);
      this.#publish(answer?.outcome ?? 'granted', askedAt);
      return answer;
    } catch (error) {
      this.#publish('error', askedAt);
      const problem = error as LockError;
      if (problem.code === 'OUTCOME_UNKNOWN') this.#unanswered = true;
      if (!isTransient(problem)) throw problem;
      this.#tasks.heard(problem);
      return undefined;
    }
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

  /** The answer, or undefined if a hand-over is pushed to us before it comes. */
  #orPushed(answer: Promise<Answer>): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      this.#onPush = () => {
        if (this.#pushed !== undefined && this.#isNew(this.#pushed)) resolve(undefined);
      };
      answer.then(resolve, reject);
      this.#onPush();
    });
  }

  async #wait(answer: Waiting, refusals: number): Promise<void> {
    const retryInMs = answer.retryInMs ?? Number.POSITIVE_INFINITY;
    if (queues(this.#tasks.backend)) {
      await this.#sleep(Math.min(this.#request.heartbeatMs, retryInMs));
      return;
    }
    const jitterMs = this.#tasks.random() * POLL_MS.first;
    await this.#sleep(Math.min(this.#backOff(POLL_MS, refusals), retryInMs + jitterMs));
    if (!this.#stopped) this.#startOver();
  }

  /** The pushed hand-over as a grant, counted from our last step that was answered "waiting". */
  #takePushed(): Grant | undefined {
    const pushed = this.#pushed;
    this.#pushed = undefined;
    if (pushed === undefined || this.#waitingSince === undefined || !this.#isNew(pushed)) return undefined;
    return this.#toGrant(pushed, this.#waitingSince);
  }

  #toGrant(answer: Granted, sentAt: Instant): Grant {
    return { ...toGrant(this.#request, answer, sentAt), mayArriveLate: this.#unanswered };
  }

  /** Whether enough is left of a grant to hand it to a caller. */
  #isUseful(grant: Grant): boolean {
    return grant.validUntil - this.#tasks.calls.clock.now() > 2 * marginMs(grant.ttlMs);
  }

  /** The old owner id has no place any more; a new one enters at the end of the queue. */
  #startOver(): void {
    if (this.#unanswered) this.#tasks.withdraw(this.#request, true);
    this.#unanswered = false;
    this.#waitingSince = undefined;
    this.#lastToken = undefined;
    this.#pushed = undefined;
    this.#request = { ...this.#request, owner: this.#tasks.newOwner() };
    this.#listen();
  }

  #listen(): void {
    const { backend } = this.#tasks;
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
    const { clock } = this.#tasks.calls;
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
    return limit / 4 + (this.#tasks.random() * limit * 3) / 4;
  }

  #publish(outcome: Answer['outcome'] | 'error', askedAt: Instant): void {
    const { clock, backendId } = this.#tasks.calls;
    publish('holdfast:attempt', () => ({
      backend: backendId,
      lockName: this.#request.name,
      outcome,
      tookMs: clock.now() - askedAt,
    }));
  }
}
