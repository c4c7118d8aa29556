/**
 * Reentrancy by async context: a `run` inside the body of a `run` of the same lock enters at once, with the same
 * lease and token. Nested entries that run side by side exclude each other, as strangers would.
 *
 * A frame is one body that runs. It lets in one nested frame at a time. What was started inside a frame and outlives
 * it (a timer, an emitter) finds the frame closed, and counts under the nearest frame that is still open.
 *
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { onAbort } from './abort.ts';
import type { Clock } from './clock.ts';
import { LeaseLostError, LockBusyError, LockError, quote } from './errors.ts';
import type { FencedLease, HeldLease, LeaseState } from './lease.ts';
import { abortedError, LocalQueue, LocalWaiter, type LocalWaiterOptions } from './local-queue.ts';

export class Frame {
  /** The `Locks` object that the lock belongs to: the same name elsewhere is another lock. */
  readonly locks: object;
  readonly lease: HeldLease;
  /** The frame around this one in the async context, of whatever lock. */
  readonly around: Frame | undefined;
  /** The frame that this one is nested in: of the same lock, and let in by it. */
  readonly parent: Frame | undefined;
  readonly #queue: LocalQueue<'enter' | 'frame-ended'> = new LocalQueue();
  #abort: AbortController | undefined;
  #open = true;
  #nested: Frame | undefined;

  constructor(locks: object, lease: HeldLease, around: Frame | undefined, parent: Frame | undefined) {
    this.locks = locks;
    this.lease = lease;
    this.around = around;
    this.parent = parent;
  }

  get name(): string {
    return this.lease.name;
  }

  /** The frame of the body that took the lock. */
  get outermost(): Frame {
    return this.parent?.outermost ?? this;
  }

  /**
   * What nested bodies see, of the outermost frame: aborts when the lease is lost, and when this body has ended. One for
   * all of them, since it may let in millions while it runs. Made when somebody asks.
   */
  get signalForNested(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      const { signal } = this.lease;
      if (!this.#open) abort.abort(this.#endedError());
      else if (signal.aborted) abort.abort(signal.reason);
      else onAbort(signal, () => abort.abort(signal.reason));
      this.#abort = abort;
    }
    return this.#abort.signal;
  }

  /** Throws once the body has ended. */
  assertOpen(): void {
    if (!this.#open) throw this.#endedError();
  }

  /** Whether a nested entry counts under this frame. */
  isOpenFor(locks: object, name: string): boolean {
    return (
      this.#open && this.locks === locks && this.name === name && this.lease.state !== 'lost' && !this.lease.isOver
    );
  }

  /** Waits until no other nested frame runs here; then opens one. Undefined: this frame ended meanwhile. */
  async letIn(clock: Clock, options: LocalWaiterOptions, around: Frame | undefined): Promise<Frame | undefined> {
    if (this.#nested !== undefined) {
      const waiter = new LocalWaiter<'enter' | 'frame-ended'>(clock, options);
      const { signal, waitMs } = options;
      if (signal?.aborted) throw abortedError(this.name, signal);
      this.#queue.add(waiter);
      const leave = (error: LockError): void => {
        this.#queue.leave(waiter);
        waiter.reject(error);
      };
      waiter.watch(
        () => leave(new LockBusyError(this.name, waitMs)),
        () => leave(abortedError(this.name, signal as AbortSignal)),
      );
      // Whoever lets this entry in has put a placeholder into #nested, so that nobody comes between.
      if ((await waiter.lease) === 'frame-ended') return undefined;
    }
    const frame = new Frame(this.locks, this.lease, around, this);
    this.#nested = frame;
    return frame;
  }

  /** The body has ended. Entries that queue here are told; a nested body that still runs keeps its turn until its end. */
  end(): void {
    this.#open = false;
    for (const waiter of this.#queue.takeAll()) waiter.resolve('frame-ended');
    if (this.parent === undefined) this.#endNested();
    else if (this.#nested === undefined) this.parent.#leave(this);
  }

  #endNested(): void {
    for (let frame = this.#nested; frame !== undefined; frame = frame.#nested) {
      frame.#open = false;
      for (const waiter of frame.#queue.takeAll()) waiter.resolve('frame-ended');
    }
    this.#abort?.abort(this.#endedError());
  }

  #endedError(): LeaseLostError {
    const detail = 'The outermost body ended, and gave the lock back, while this one still ran.';
    return new LeaseLostError(this.name, 'released', detail);
  }

  #leave(nested: Frame): void {
    if (this.#nested !== nested) return;
    const next = this.#queue.takeFirst();
    if (next !== undefined) {
      next.resolve('enter');
      return; // the next one replaces `nested` as soon as it runs; until then nobody else gets in
    }
    this.#nested = undefined;
    if (!this.#open && this.parent !== undefined) this.parent.#leave(this);
  }
}

const context: AsyncLocalStorage<Frame> = new AsyncLocalStorage();

export function currentFrame(): Frame | undefined {
  return context.getStore();
}

/** The innermost open frame of this lock in the caller's async context. */
export function openFrame(locks: object, name: string): Frame | undefined {
  let frame = currentFrame();
  while (frame !== undefined && !frame.isOpenFor(locks, name)) frame = frame.around;
  return frame;
}

export function runInFrame<Result>(frame: Frame, body: () => Promise<Result>): Promise<Result> {
  return context.run(frame, body);
}

/** Enters under the innermost open frame. Undefined if there is none: the caller is a stranger to the lock. */
export async function enterNested(
  locks: object,
  name: string,
  clock: Clock,
  options: LocalWaiterOptions,
): Promise<Frame | undefined> {
  let waited = false;
  for (let parent = openFrame(locks, name); parent !== undefined; parent = openFrame(locks, name)) {
    const frame = await parent.letIn(clock, options, currentFrame());
    if (frame !== undefined) return frame;
    waited = true;
  }
  if (!waited) return undefined;
  throw new LockError(
    'FRAME_ENDED',
    `The body that holds the lock ${quote(name)} ended while a nested entry still waited for its turn. Await nested runs inside the body.`,
    { lockName: name },
  );
}

/** What a nested body sees of the lease: the same, but it ends for it with the outermost body, too. */
export class NestedLease implements FencedLease {
  readonly #lease: HeldLease;
  readonly #outermost: Frame;

  constructor(frame: Frame) {
    this.#lease = frame.lease;
    this.#outermost = frame.outermost;
  }

  get signal(): AbortSignal {
    return this.#outermost.signalForNested;
  }

  get name(): string {
    return this.#lease.name;
  }

  get owner(): string {
    return this.#lease.owner;
  }

  get ttlMs(): number {
    return this.#lease.ttlMs;
  }

  get fencingToken(): bigint {
    return this.#lease.fencingToken;
  }

  get state(): LeaseState {
    return this.#lease.state;
  }

  get remainingMs(): number {
    return this.#lease.remainingMs;
  }

  assertHeld(): void {
    this.#outermost.assertOpen();
    this.#lease.assertHeld();
  }

  async confirm(): Promise<void> {
    this.#outermost.assertOpen();
    await this.#lease.confirm();
  }

  /** Does nothing: the outermost body gives the lock back. */
  async release(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}
}
