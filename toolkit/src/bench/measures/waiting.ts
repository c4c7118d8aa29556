/**
 * What it costs to wait while nothing happens: the requests by which waiters say that they still wait. They are no part
 * of a hand-over, and are counted here by themselves.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { CONTENDED_SUBJECTS } from '../contended-locks.ts';
import { Contest, type ContestSize } from '../contest.ts';
import type { WaitingResult } from '../result.ts';
import { callsBetween, readServer } from '../server-figures.ts';

export async function measureWaiting(bench: Bench, size: ContestSize, forMs: number): Promise<WaitingResult> {
  const { waiters, processes } = size;
  const { client } = bench.server;
  bench.progress(`${waiters} waiters, ${processes} processes, nothing happens`, `for ${forMs / 1000} s`);
  const contest = await Contest.open(bench, 'holdfast', size);
  try {
    const held = await contest.allWait(0);
    const before = await readServer(client);
    await sleep(forMs);
    const after = await readServer(client);
    const leaving = contest.allLeave();
    await held.release();
    await leaving;
    const requests = callsBetween(before, after, CONTENDED_SUBJECTS.holdfast.sends);
    return { ...size, forMs, requestsPerSecond: (requests * 1000) / forMs };
  } finally {
    await contest.close();
  }
}
