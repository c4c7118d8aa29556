/**
 * What it costs to hold very many locks over whole renewal periods: calls, processor time, memory, and how long the
 * event loop is kept from other work.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { HELD_SUBJECTS, type HeldSubjectId } from '../held-subjects.ts';
import type { ClientMemory, HeldResult } from '../result.ts';
import { callsBetween, readServer } from '../server-figures.ts';
import type { HeldAnswer } from '../tasks.ts';
import { Worker } from '../worker.ts';

export interface HeldSettings {
  readonly subject: HeldSubjectId;
  readonly locks: number;
  readonly ttlMs: number;
  readonly acquiredOverMs: number;
}

const AIMS = { renewalsPerCallAtLeast: 50, clientCpuPercentBelow: 2 };

export async function measureHeldLocks(bench: Bench, settings: HeldSettings): Promise<HeldResult> {
  const { subject, locks, ttlMs, acquiredOverMs } = settings;
  const { client, url } = bench.server;
  const say = (what: string): void =>
    bench.progress(`${locks} held locks, ${subject}, acquired over ${acquiredOverMs / 1000} s`, what);
  const worker = new Worker(bench.reaper, 'held-locks', { subject, url, locks, ttlMs }, ['--expose-gc']);
  try {
    say('before');
    await client.flushall(); // the server's memory is that of these locks alone
    const before = await worker.ask({ do: 'cpu', forMs: 0 });
    const empty = await readServer(client);
    say('acquiring');
    await worker.ask({ do: 'acquire', overMs: acquiredOverMs });
    const filled = await readServer(client);

    // Two windows of one renewal period each, since looking at the event loop costs processor time. They begin half a
    // period later, so that renewals that fall due together are in the middle.
    const windowMs = ttlMs / 3;
    await sleep(windowMs / 2);
    say('processor time over one renewal period');
    const start = await readServer(client);
    const cpu = await worker.ask({ do: 'cpu', forMs: windowMs });
    const end = await readServer(client);
    say('delays over one renewal period');
    const delay = await worker.ask({ do: 'delay', forMs: windowMs });
    say('releasing');
    const after = await worker.ask({ do: 'release' });

    const calls = callsBetween(start, end, HELD_SUBJECTS[subject].sends);
    const renewals = callsBetween(start, end, ['pexpire']); // both subjects renew by one PEXPIRE inside a script
    if (renewals < locks * 0.8 || renewals > locks * 1.2) {
      throw new Error(`${locks} locks were renewed ${renewals} times in one renewal period; once each was expected.`);
    }
    return {
      ...settings,
      windowMs: cpu.tookMs,
      callsPerSecond: (calls * 1000) / cpu.tookMs,
      renewals,
      renewalsPerCall: renewals / calls,
      clientCpuPercent: (cpu.cpuMs * 100) / cpu.tookMs,
      serverCpuPercent: ((end.cpuMs - start.cpuMs) * 100) / cpu.tookMs,
      aims: AIMS,
      longestDelayMs: delay.longestDelayMs as number,
      clientHeapBytesPerLock: (cpu.heapBytes - before.heapBytes) / locks,
      serverBytesPerLock: (filled.usedMemoryBytes - empty.usedMemoryBytes) / locks,
      client: { before: memoryOf(before), held: memoryOf(cpu), after: memoryOf(after) },
    };
  } finally {
    await worker.stop();
  }
}

function memoryOf({ heapBytes, rssBytes }: HeldAnswer): ClientMemory {
  return { heapBytes, rssBytes };
}
