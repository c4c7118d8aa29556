/**
 * A small world for the core: several processes, one store, a network that delays, loses and repeats, and processes
 * that stop and go on. Everything is drawn from one seed and runs on a clock moved by hand.
 *
 * @module
 */
import { MemoryBackend, type MemoryStore } from '../backends/memory/index.ts';
import type { ManualClock } from '../testing/index.ts';
import type { AcquireRequest, Granted, Hold } from './backend.ts';
import type { CancelTimer, Clock, Instant } from './clock.ts';
import { BackendUnavailableError } from './errors.ts';

/** A generator of numbers from 0 to 1 that a seed determines (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How bad the network is; each number is a probability, and times are in milliseconds. */
export interface Weather {
  loseRequest: number;
  loseReply: number;
  /** The request arrives once more, later: an old connection's buffer, or a client that resends. */
  repeat: number;
  refuse: number;
  loseMessage: number;
  usualDelayMs: number;
  longDelay: number;
  longDelayMs: number;
}

export const FAIR_WEATHER: Weather = {
  loseRequest: 0,
  loseReply: 0,
  repeat: 0,
  refuse: 0,
  loseMessage: 0,
  usualDelayMs: 2,
  longDelay: 0,
  longDelayMs: 0,
};

/** The clock of a process that can be stopped: its timers wait until it goes on. */
class ProcessClock implements Clock {
  readonly #world: ManualClock;
  readonly #late: Set<() => void> = new Set();
  #stopped = false;

  constructor(world: ManualClock) {
    this.#world = world;
  }

  now(): Instant {
    return this.#world.now();
  }

  date(): Date {
    return this.#world.date();
  }

  callAt(at: Instant, callback: () => void): CancelTimer {
    const run = (): void => {
      if (this.#stopped) this.#late.add(callback);
      else callback();
    };
    const cancel = this.#world.callAt(at, run);
    return () => {
      cancel();
      this.#late.delete(callback);
    };
  }

  stop(): void {
    this.#stopped = true;
  }

  goOn(): void {
    this.#stopped = false;
    const late = [...this.#late];
    this.#late.clear();
    for (const callback of late) callback();
  }
}

/** One process: its clock, and a backend that reaches the store over the bad network. */
export class SimulatedProcess {
  readonly clock: ProcessClock;
  readonly backend: MemoryBackend;

  constructor(world: ManualClock, store: MemoryStore, random: () => number, weather: Weather) {
    this.clock = new ProcessClock(world);
    this.backend = new FarBackend(store, world, this.clock, random, weather);
  }
}

class FarBackend extends MemoryBackend {
  readonly #world: ManualClock;
  readonly #process: ProcessClock;
  readonly #random: () => number;
  readonly #weather: Weather;

  constructor(store: MemoryStore, world: ManualClock, process: ProcessClock, random: () => number, weather: Weather) {
    super(store, world);
    this.#world = world;
    this.#process = process;
    this.#random = random;
    this.#weather = weather;
  }

  override tryAcquire(request: AcquireRequest): ReturnType<MemoryBackend['tryAcquire']> {
    return this.#over(() => super.tryAcquire(request));
  }

  override queue(step: 'enter' | 'stay', request: AcquireRequest): ReturnType<MemoryBackend['queue']> {
    return this.#over(() => super.queue(step, request));
  }

  override renew(holds: readonly Hold[]): ReturnType<MemoryBackend['renew']> {
    return this.#over(() => super.renew(holds));
  }

  override release(hold: Hold): ReturnType<MemoryBackend['release']> {
    return this.#over(() => super.release(hold));
  }

  override withdraw(hold: Hold, options: { mayArriveLate: boolean }): ReturnType<MemoryBackend['withdraw']> {
    return this.#over(() => super.withdraw(hold, options));
  }

  override transfer(hold: Hold, next: AcquireRequest): ReturnType<MemoryBackend['transfer']> {
    return this.#over(() => super.transfer(hold, next));
  }

  override listen(request: AcquireRequest, wake: (granted?: Granted) => void): () => void {
    return super.listen(request, (granted) => {
      if (!this.#happens(this.#weather.loseMessage)) this.#inThisProcess(() => wake(granted));
    });
  }

  #over<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    const weather = this.#weather;
    return new Promise((resolve, reject) => {
      if (this.#happens(weather.refuse)) {
        this.#inThisProcess(() => reject(new BackendUnavailableError('connect ECONNREFUSED')));
        return;
      }
      if (this.#happens(weather.repeat)) this.#after(this.#delayMs() + this.#delayMs() + this.#delayMs(), call);
      if (this.#happens(weather.loseRequest)) return; // silence
      this.#after(this.#delayMs(), async () => {
        const answer = await call();
        if (this.#happens(weather.loseReply)) {
          if (this.#happens(0.5)) this.#inThisProcess(() => reject(new Error('read ECONNRESET')));
          return;
        }
        this.#inThisProcess(() => resolve(answer));
      });
    });
  }

  #happens(probability: number): boolean {
    return this.#random() < probability;
  }

  #delayMs(): number {
    const { usualDelayMs, longDelay, longDelayMs } = this.#weather;
    return this.#random() * (this.#happens(longDelay) ? longDelayMs : usualDelayMs);
  }

  #after(ms: number, what: () => unknown): void {
    this.#world.callAt((this.#world.now() + ms) as Instant, () => void what());
  }

  /** What arrives at a stopped process is there when it goes on. */
  #inThisProcess(what: () => void): void {
    this.#process.callAt((this.#world.now() + this.#delayMs()) as Instant, what);
  }
}
