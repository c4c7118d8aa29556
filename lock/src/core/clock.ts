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
   * A timer with `keepAlive: false` does not keep the process alive.
   */
  callAt(at: Instant, callback: () => void, options: { readonly keepAlive: boolean }): CancelTimer;
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

/**
 * Joins the clock of the process, which is fine but stands still while the machine is suspended, with the uptime of
 * the machine, which is coarse but goes on. Given both readings it never answers less than it did before.
 *
 * The limit: Node has no fine clock that counts a suspend, so a suspend shorter than about 20 ms is not seen.
 */
export function suspendAware(readProcessMs: () => number, readUptimeMs: () => number): () => Instant {
  const processAtStart = readProcessMs();
  const uptimeAtStart = readUptimeMs();
  let asleepMs = 0;
  return () => {
    const runMs = readProcessMs() - processAtStart;
    const upMs = readUptimeMs() - uptimeAtStart;
    asleepMs = Math.max(asleepMs, upMs - UPTIME_RESOLUTION_MS - runMs);
    return (processAtStart + runMs + asleepMs) as Instant;
  };
}

/** CLOCK_MONOTONIC in milliseconds: on Linux one clock for all processes of the machine. */
function readHrtimeMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: suspendAware(readHrtimeMs, () => uptime() * 1000),
  date: () => new Date(),
  callAt(at, callback, { keepAlive }) {
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const ms = Math.min(TIMER_LIMIT_MS, Math.max(0, Math.ceil(at - systemClock.now())));
      timer = setTimeout(() => (systemClock.now() >= at ? callback() : arm()), ms);
      if (!keepAlive) timer.unref();
    };
    arm();
    return () => clearTimeout(timer);
  },
};
