import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { overlaps, readLog, stays, worker } from '../test-support/oracle.ts';
import { childrenOf, kill, SLOW, Stage, until } from '../test-support/program.ts';

// The same faults as in supervision.contract.test.ts, but at any moment: while our processes start, wait, take the lock, start the
// command. HOLDFAST_SEED repeats a run as far as chance goes; the scheduling of the machine is not ours to repeat.

const SEED = Number(process.env.HOLDFAST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const ROUNDS = Number(process.env.HOLDFAST_ROUNDS ?? 10);
const TERMS = ['--ttl', '2s', '--kill-after', '300ms'];

const FAULTS = ['kill the front', 'kill the guard', 'kill both', 'stop the guard'] as const;

/** Mulberry32: small, and good enough to choose a moment. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe(`a fault at any moment, with HOLDFAST_SEED=${SEED}`, SLOW, () => {
  const next = random(SEED);
  const stages: Stage[] = [];
  console.log(`seed ${SEED}`);

  afterAll(async () => {
    for (const stage of stages) await stage.strike();
  });

  it.each(Array.from({ length: ROUNDS }, (_, round) => round))('round %d: the rival comes in, and alone', async () => {
    const fault = FAULTS[Math.floor(next() * FAULTS.length)] ?? 'kill both';
    const share = next();
    const stage = new Stage();
    stages.push(stage);
    const log = stage.file('log');

    // How long it takes here and now until a command runs; the fault comes somewhere in that time or a little later.
    const began = performance.now();
    await stage.start(['run', 'other', '--', ...worker(log, 'trial', 1)]).outcome;
    const faultAfterMs = share * 1.2 * (performance.now() - began);

    const first = stage.start([
      'run',
      'x',
      ...TERMS,
      '--wait',
      '1m',
      '--',
      ...worker(log, 'first', 600_000, 'grandchild'),
    ]);
    const rival = stage.start(['run', 'x', ...TERMS, '--wait', '2m', '--', ...worker(log, 'rival', 100)]);
    await sleep(faultAfterMs);
    const [guard] = childrenOf(first.pid);
    // There may be no guard yet.
    if (guard === undefined || fault === 'kill the front' || fault === 'kill both') kill(first.pid, 'SIGKILL');
    if (guard !== undefined && fault !== 'kill the front')
      kill(guard, fault === 'stop the guard' ? 'SIGSTOP' : 'SIGKILL');

    const outcome = await rival.outcome;
    expect(outcome, `${fault} after ${faultAfterMs} ms: ${outcome.stderr} ${first.stderr}`).toMatchObject({ code: 0 });
    // The rival may have been first.
    kill(first.pid, 'SIGTERM');
    if (guard !== undefined && fault === 'stop the guard') kill(guard, 'SIGCONT');
    await until(
      () => stage.processes().length === 0,
      () => `${fault} after ${faultAfterMs} ms has left ${stage.processes()}: ${first.stderr}`,
    );
    const lines = readLog(log).filter(({ name }) => name !== 'trial');
    expect(overlaps(stays(lines)), `${fault} after ${faultAfterMs} ms`).toEqual([]);
  });
});
