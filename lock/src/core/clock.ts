/**
 * Time comes in by the door: `core` asks a `Clock` and nothing else, so that a test moves it by hand and a TTL of
 * 30 seconds takes a millisecond.
 *
 * @module
 */
import { uptime } from 'node:os';

/** A point on a monotonic clock, in milliseconds with fractions. Two of them compare only if one clock gave both. */
export type Instant = number & { readonly unit: 'monotonic ms' };

/** A timer that has not fired. Calling it cancels the timer; calling it again does nothing. */
export type CancelTimer = () => void;

export interface Clock {
  /** Now, on a clock that never goes back and goes on while the process is stopped or the machine sleeps. */
  now(): Instant;
  /** The date, for people to read. Nothing is ever decided by it. */
  date(): Date;
  /**
   * Calls back once, as soon after `at` as the event loop allows, never in this turn.
   * A timer with `keepAlive: false` does not keep the process alive. One with `afterInput` first lets be read what has
   * arrived by then: after a blocked event loop timers fire before anybody looks at an answer that is there.
   */
  callAt(at: Instant, callback: () => void, options: TimerOptions): CancelTimer;
}

export interface TimerOptions {
  readonly keepAlive: boolean;
  readonly afterInput?: boolean;
}

/** How far the machine's uptime may run ahead of the process's clock before it means that the machine was asleep. */
const UPTIME_RESOLUTION_MS = 20;

/** What a timer of Node can wait at most; a later one looks again on its way. */
const TIMER_LIMIT_MS = 2 ** 31 - 1;

function plus(instant: Instant, ms: number): Instant {
  return (instant + ms) as Instant;
}

function earliest(first: Instant, second: Instant): Instant {
  return first < second ? first : second;
}

function latest(first: Instant, second: Instant): Instant {
  return first > second ? first : second;
}

/** Arithmetic on instants, which keeps the unit. */
export const Instant: {
  readonly plus: (instant: Instant, ms: number) => Instant;
  readonly earliest: (first: Instant, second: Instant) => Instant;
  readonly latest: (first: Instant, second: Instant) => Instant;
} = { plus, earliest, latest };

/** The three clocks of a machine that `suspendAware` joins, each in milliseconds. */
export interface ClockReadings {
  /** Fine and cheap, but stands still while the machine is suspended. */
  processMs(): number;
  /** Goes on while suspended, but is coarse and costs a hundred times as much. */
  uptimeMs(): number;
  /** Cheap; can be set. It jumps ahead of the process's clock after a suspend, and is used as a hint only. */
  wallMs(): number;
}

/** How far wall clock and process clock may drift apart before the uptime is asked; well under one suspend. */
const HINT_MS = 10;

/** How long the uptime is not asked at most while nothing hints at a suspend. */
const UPTIME_EVERY_MS = 1_000;

/**
 * A clock that never goes back and counts the time in which the machine was suspended.
 *
 * The limit: Node offers no fine clock that counts a suspend, so one of less than about 20 ms is not seen; and if
 * somebody sets the wall clock back by exactly the length of a suspend, that suspend is seen up to a second late.
 */
export function suspendAware(clocks: ClockReadings): () => Instant {
  const processAtStart = clocks.processMs();
  const uptimeAtStart = clocks.uptimeMs();
  let asleepMs = 0;
  let aheadMs = clocks.wallMs() - processAtStart;
  let askedAtMs = processAtStart;
  return () => {
    const processMs = clocks.processMs();
    const wallAheadMs = clocks.wallMs() - processMs;
    if (Math.abs(wallAheadMs - aheadMs) > HINT_MS || processMs - askedAtMs > UPTIME_EVERY_MS) {
      aheadMs = wallAheadMs;
      askedAtMs = processMs;
      const upMs = clocks.uptimeMs() - uptimeAtStart;
      asleepMs = Math.max(asleepMs, upMs - UPTIME_RESOLUTION_MS - (processMs - processAtStart));
    }
    return (processMs + asleepMs) as Instant;
  };
}

/** CLOCK_MONOTONIC, on Linux one clock for all processes of the machine; read without making a BigInt each time. */
const MONOTONIC_AT_ORIGIN_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** The clock of this machine. */
export const systemClock: Clock = {
  now: suspendAware({
    processMs: () => MONOTONIC_AT_ORIGIN_MS + performance.now(),
    uptimeMs: () => uptime() * 1000,
    wallMs: Date.now,
  }),
  date: () => new Date(),
  callAt(at, callback, { keepAlive, afterInput = false }) {
    let cancel: CancelTimer;
    const due = (): void => (systemClock.now() >= at ? callback() : arm());
    const arm = (): void => {
      const ms = Math.min(TIMER_LIMIT_MS, Math.max(0, Math.ceil(at - systemClock.now())));
      if (afterInput) {
        cancel = callAfterInput(due, ms, { keepAlive });
        return;
      }
      const timer = setTimeout(due, ms);
      if (!keepAlive) timer.unref();
      cancel = () => clearTimeout(timer);
    };
    arm();
    return () => cancel();
  },
};

/**
 * Calls back once after `ms`, when what has arrived by then was read: in the turn of the event loop in which timers fire,
 * sockets are read after them, and this after those.
 */
export function callAfterInput(
  callback: () => void,
  ms: number,
  { keepAlive }: { readonly keepAlive: boolean },
): CancelTimer {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    immediate = setImmediate(callback);
    if (!keepAlive) immediate.unref();
  }, ms);
  if (!keepAlive) timer.unref();
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

/** The randomness of this machine, for jitter: it comes in by the same door. */
export const systemRandom: () => number = Math.random;
