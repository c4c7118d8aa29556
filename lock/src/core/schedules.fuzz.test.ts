import { expect, it } from 'vitest';
import { MemoryStore } from '../backends/memory/index.ts';
import { ManualClock } from '../testing/index.ts';
import { LockError } from './errors.ts';
import type { FencedLease } from './lease.ts';
import { createLocks, type Lock, type Locks } from './lock.ts';
import { FAIR_WEATHER, SimulatedProcess, seeded, type Weather } from './simulation.testing.ts';

/** HOLDFAST_SCHEDULES=100000 runs more; HOLDFAST_SEED=7 begins there, and with HOLDFAST_SCHEDULES=1 repeats one. */
const SCHEDULES = Number(process.env.HOLDFAST_SCHEDULES ?? 150);
const FIRST_SEED = Number(process.env.HOLDFAST_SEED ?? Date.now() % 1_000_000);

const TTL_MS = 1_000;
const PROCESSES = 3;
const CALLERS = 3;
const STORMY_MS = 8_000;

interface Outcome {
  grants: number;
  losses: number;
  failures: number;
}

/** Runs one schedule, and throws at the first thing that must not be. */
async function runSchedule(seed: number): Promise<Outcome> {
  const random = seeded(seed);
  const world = new ManualClock();
  const store = new MemoryStore();
  const weather = drawWeather(random);
  const processes = Array.from({ length: PROCESSES }, () => new SimulatedProcess(world, store, random, weather));
  const all: Locks<FencedLease>[] = processes.map(({ backend, clock }) =>
    createLocks(backend, { ttlMs: TTL_MS, clock, random }),
  );
  const outcome: Outcome = { grants: 0, losses: 0, failures: 0 };
  const held: FencedLease[] = [];
  let lastToken = 0n;
  let calm = false;

  const rest = (process: SimulatedProcess, ms: number): Promise<void> =>
    new Promise((resolve) => void process.clock.callAt((world.now() + ms) as never, resolve));

  const check = (lease: FencedLease): void => {
    outcome.grants++;
    for (const other of held) {
      if (other.state === 'held' || other.state === 'at-risk') {
        throw new Error(
          `seed ${seed}: ${lease.owner} got the lock while ${other.owner} still holds it by its own clock`,
        );
      }
    }
    if (lease.remainingMs > 0 && lease.fencingToken <= lastToken) {
      throw new Error(`seed ${seed}: token ${lease.fencingToken} after ${lastToken}`);
    }
    if (lease.fencingToken > lastToken) lastToken = lease.fencingToken;
    held.push(lease);
  };

  const caller = async (process: SimulatedProcess, lock: Lock<FencedLease>): Promise<void> => {
    while (!calm) {
      const abort = new AbortController();
      if (random() < 0.15) process.clock.callAt((world.now() + random() * 300) as never, () => abort.abort());
      const signal = random() < 0.5 ? { signal: abort.signal } : {}; // without one, who comes first has no timer yet
      try {
        const lease =
          random() < 0.15
            ? await lock.tryAcquire(signal)
            : await lock.acquire({ waitMs: 1 + random() * 2_000, ...signal });
        if (lease !== null) {
          check(lease);
          await rest(process, random() < 0.1 ? random() * 2_500 : random() * 60);
          if (lease.state === 'lost') outcome.losses++;
          held.splice(held.indexOf(lease), 1);
          await lease.release();
        }
      } catch (error) {
        if (!(error instanceof LockError)) throw error;
        outcome.failures++;
      }
      await rest(process, random() * 100);
    }
  };

  const callers: Promise<void>[] = [];
  let failure: unknown;
  for (const [index, process] of processes.entries()) {
    const lock = (all[index] as Locks<FencedLease>).lock('a');
    for (let i = 0; i < CALLERS; i++) {
      callers.push(
        caller(process, lock).catch((error: unknown) => {
          failure ??= error;
        }),
      );
    }
  }
  for (let passed = 0; passed < STORMY_MS && failure === undefined; passed += 100) {
    if (random() < 0.04) {
      const process = processes[Math.floor(random() * PROCESSES)] as SimulatedProcess;
      process.clock.stop();
      await world.advance(random() * 2.5 * TTL_MS);
      process.clock.goOn();
    }
    await world.advance(100);
  }
  if (failure !== undefined) throw failure;

  // The weather clears: everyone ends, every process can have the lock, and nothing stays.
  Object.assign(weather, FAIR_WEATHER);
  calm = true;
  for (let passed = 0; passed < 12 * TTL_MS; passed += 500) await world.advance(500);
  const ended = await Promise.race([Promise.all(callers).then(() => true), world.advance(0).then(() => false)]);
  if (failure !== undefined) throw failure;
  if (!ended) throw new Error(`seed ${seed}: a caller is stuck`);
  for (const locks of all) {
    const acquiring = locks.lock('a').acquire({ waitMs: 3 * TTL_MS });
    let done = false;
    const used = acquiring
      .then((lease) => lease.release())
      .then(() => {
        done = true;
      });
    for (let passed = 0; passed < 3 * TTL_MS && !done; passed += 50) await world.advance(50);
    await used;
  }
  const closing = Promise.all(all.map((locks) => locks.close()));
  await world.advance(10 * TTL_MS);
  await closing;
  const row = store.rows.get('a');
  if (row?.holder !== undefined || (row !== undefined && row.waiters.size > 0)) {
    throw new Error(`seed ${seed}: something stayed in the store`);
  }
  if (world.timers > 0) throw new Error(`seed ${seed}: ${world.timers} timers stayed`);
  return outcome;
}

/** A few kinds of trouble at a time: a world in which everything is broken shows nothing. */
function drawWeather(random: () => number): Weather {
  const some = (most: number): number => (random() < 0.4 ? random() * most : 0);
  return {
    loseRequest: some(0.1),
    loseReply: some(0.15),
    repeat: some(0.2),
    refuse: some(0.2),
    loseMessage: some(0.5),
    usualDelayMs: 1 + random() * 30,
    longDelay: some(0.1),
    longDelayMs: random() * 3 * TTL_MS,
  };
}

it(
  'in no schedule do two hold by their own clocks, does a token fall, does a caller get stuck or does anything stay',
  async () => {
    const total: Outcome = { grants: 0, losses: 0, failures: 0 };
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SCHEDULES; seed++) {
      const outcome = await runSchedule(seed);
      total.grants += outcome.grants;
      total.losses += outcome.losses;
      total.failures += outcome.failures;
    }
    console.info(`  ${SCHEDULES} schedules from seed ${FIRST_SEED}: ${JSON.stringify(total)}`);
    expect(total.grants).toBeGreaterThan(SCHEDULES * 10);
    expect(total.losses).toBeGreaterThan(0);
  },
  Math.max(60_000, SCHEDULES * 500),
);
