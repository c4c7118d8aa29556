/**
 * What is measured on an etcd or a ZooKeeper of one server. Variants alternate within each round, so that what disturbs the
 * machine disturbs all.
 *
 * @module
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLocks, type Lease } from 'holdfast';
import type { Reaper } from '../../lab/reaper.ts';
import { alternate } from '../bench.ts';
import { monotonicMs } from '../monotonic.ts';
import { quantile, ratios, type Spread, spreadOf } from '../statistics.ts';
import { gapsBetween } from '../turns.ts';
import { Worker } from '../worker.ts';
import type { Counts, LineId, System } from './system.ts';

export interface Consensus {
  readonly system: System;
  readonly reaper: Reaper;
  readonly address: string;
  /** Of the server. */
  readonly pid: number;
  readonly rounds: number;
}

export interface PairFigures {
  readonly atOnce: number;
  readonly perSecond: Readonly<Record<string, Spread>>;
  /** Holdfast against each of the others. */
  readonly ratios: Readonly<Record<string, Spread>>;
  /** What one pair costs; of a program that is started for each, nobody counts the processor time. */
  readonly costs: Readonly<Record<string, PairCosts>>;
}

export interface PairCosts {
  /** Requests that the server has received. */
  readonly calls: Spread;
  readonly clientCpuMs: Spread | undefined;
  readonly serverCpuMs: Spread;
}

/** Acquire and release, nobody else wanting the lock, one at a time or many locks at once. */
export async function measurePairs(consensus: Consensus, atOnce: number, forMs: number): Promise<PairFigures> {
  const { system, rounds } = consensus;
  const opened = new Map(
    await Promise.all(system.pairIds.map(async (id) => [id, await system.openPairs(id)] as const)),
  );
  const ids = system.pairIds.filter((id) => atOnce === 1 || opened.get(id)?.isConcurrent);
  const measured = await alternate(ids, rounds, async (id) => {
    const subject = opened.get(id);
    const before = await countsAndCpu(consensus);
    const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()];
    let count = 0;
    const lanes = Array.from({ length: atOnce }, async (_, lane) => {
      for (; performance.now() - startedAt < forMs; count++) await subject?.pair(lane);
    });
    await Promise.all(lanes);
    const [tookMs, { user, system: kernel }] = [performance.now() - startedAt, process.cpuUsage(cpuBefore)];
    const { calls, cpuMs } = costsOfEach(before, await countsAndCpu(consensus), count);
    return { perSecond: (count * 1_000) / tookMs, calls, cpuMs, clientCpuMs: (user + kernel) / 1_000 / count };
  });
  await Promise.all([...opened.values()].map((subject) => subject.close()));
  const all = (id: string) => measured[id] ?? [];
  const rates = (id: string): number[] => all(id).map(({ perSecond }) => perSecond);
  const others = ids.filter((id) => id !== 'holdfast');
  return {
    atOnce,
    perSecond: Object.fromEntries(ids.map((id) => [id, spreadOf(rates(id))])),
    ratios: Object.fromEntries(others.map((id) => [id, ratios(rates('holdfast'), rates(id))])),
    costs: Object.fromEntries(
      ids.map((id) => {
        const of = (figure: 'calls' | 'cpuMs' | 'clientCpuMs'): Spread => spreadOf(all(id).map((each) => each[figure]));
        const clientCpuMs = opened.get(id)?.isConcurrent ? of('clientCpuMs') : undefined;
        return [id, { calls: of('calls'), clientCpuMs, serverCpuMs: of('cpuMs') }];
      }),
    ),
  };
}

export interface LineFigures {
  readonly id: LineId;
  readonly waiters: number;
  readonly processes: number;
  /** From the call that releases to the next grant. */
  readonly p50Ms: Spread;
  readonly calls: Spread;
  readonly watchMessages: Spread;
  readonly serverCpuMs: Spread;
  /** To the lock service of the same rounds. */
  readonly ratio: Spread | undefined;
}

/** So many waiters in so many processes; each has the lock once and gives it back at once. */
export async function measureLine(
  consensus: Consensus,
  { waiters, processes }: { readonly waiters: number; readonly processes: number },
): Promise<LineFigures[]> {
  const { system, reaper, address, rounds } = consensus;
  const nameOf = (id: LineId): string => `line-${id.replace(' ', '-')}-${waiters}-${processes}`;
  const crews = new Map(
    system.lineIds.map((id) => {
      const here = (index: number): number => Math.floor((waiters + index) / processes);
      const crew = Array.from(
        { length: processes },
        (_, index) =>
          new Worker(reaper, 'consensus-line', {
            kind: system.kind,
            address,
            id,
            name: nameOf(id),
            waiters: here(index),
          }),
      );
      return [id, crew] as const;
    }),
  );
  const holders = new Map(
    await Promise.all(system.lineIds.map(async (id) => [id, await system.openLine(id, nameOf(id), 1)] as const)),
  );
  const measured = await alternate(system.lineIds, rounds, async (id) => {
    const crew = crews.get(id) as Worker<'consensus-line'>[];
    const holder = holders.get(id)?.contenders[0];
    if (holder === undefined) throw new Error(`Nobody begins the line of ${id}.`);
    const release = await holder();
    await Promise.all(crew.map((worker) => worker.ask({ do: 'enter' })));
    // A process of ours sends one contender for all of its waiters.
    const expected = 1 + (id === 'holdfast' ? processes : waiters);
    while ((await system.inLine(nameOf(id))) < expected) await sleep(10);
    await sleep(50); // the last watches
    const before = await countsAndCpu(consensus);
    const releasedAtMs = monotonicMs();
    await release();
    const turns = (await Promise.all(crew.map((worker) => worker.ask({ do: 'leave' })))).flat();
    const after = await countsAndCpu(consensus);
    const p50Ms = quantile(gapsBetween(releasedAtMs, turns), 0.5);
    return { p50Ms, ...costsOfEach(before, after, waiters) };
  });
  await Promise.all([...crews.values()].flat().map((worker) => worker.stop()));
  await Promise.all([...holders.values()].map((holder) => holder.close()));
  const p50s = (id: LineId): number[] => measured[id].map(({ p50Ms }) => p50Ms);
  return system.lineIds.map((id) => ({
    id,
    waiters,
    processes,
    p50Ms: spreadOf(p50s(id)),
    calls: spreadOf(measured[id].map(({ calls }) => calls)),
    watchMessages: spreadOf(measured[id].map(({ watchMessages }) => watchMessages)),
    serverCpuMs: spreadOf(measured[id].map(({ cpuMs }) => cpuMs)),
    ratio: id === 'holdfast' && system.lineIds.length > 1 ? ratios(p50s(id), p50s('lock service')) : undefined,
  }));
}

interface CountsAndCpu extends Counts {
  readonly cpuMs: number;
}

async function countsAndCpu({ system, pid }: Consensus): Promise<CountsAndCpu> {
  return { ...(await system.counts()), cpuMs: cpuMsOf(pid) };
}

function costsOfEach(before: CountsAndCpu, after: CountsAndCpu, count: number): Omit<CountsAndCpu, 'renewals'> {
  return {
    calls: (after.calls - before.calls) / count,
    watchMessages: (after.watchMessages - before.watchMessages) / count,
    cpuMs: (after.cpuMs - before.cpuMs) / count,
  };
}

export interface CrowdFigures {
  readonly waiters: number;
  readonly callsPerSecond: number;
  readonly serverCpuPercent: number;
}

/** So many waiters of one process for one lock, while nothing happens. */
export async function measureCrowd(consensus: Consensus, waiters: number, forMs: number): Promise<CrowdFigures> {
  const { system } = consensus;
  const options = { ttlMs: 10_000 };
  const [holder, rivals] = [createLocks(system.backend(), options), createLocks(system.backend(), options)];
  const name = `crowd-${waiters}`;
  const lease = await holder.lock(name).acquire();
  const leaving = new AbortController();
  const waits = Array.from({ length: waiters }, () =>
    rivals
      .lock(name)
      .acquire({ waitMs: 600_000, signal: leaving.signal })
      .catch(() => undefined),
  );
  while (waiters > 0 && (await system.inLine(name)) < 2) await sleep(10);
  await sleep(500);
  const [before, startedAtMs] = [await countsAndCpu(consensus), performance.now()];
  await sleep(forMs);
  const [after, tookMs] = [await countsAndCpu(consensus), performance.now() - startedAtMs];
  leaving.abort();
  await Promise.all(waits);
  await lease.release();
  await Promise.all([holder.close(), rivals.close()]);
  return {
    waiters,
    callsPerSecond: ((after.calls - before.calls) * 1_000) / tookMs,
    serverCpuPercent: ((after.cpuMs - before.cpuMs) * 100) / tookMs,
  };
}

export interface HeldFigures {
  readonly locks: number;
  readonly ttlMs: number;
  readonly periods: number;
  readonly renewalsPerPeriod: number | undefined;
  readonly callsPerPeriod: number;
}

/** So many held locks of one TTL, over some periods of a third of it. */
export async function measureHeld(
  { system }: Consensus,
  count: number,
  ttlMs: number,
  periods: number,
): Promise<HeldFigures> {
  const locks = createLocks(system.backend(), { ttlMs });
  const leases: Lease[] = [];
  for (let at = 0; at < count; at += 50) {
    const some = Array.from({ length: 50 }, (_, index) => locks.lock(`held-${at + index}`).acquire());
    leases.push(...(await Promise.all(some)));
  }
  await sleep(ttlMs); // the first renewals bring those together that were acquired one after the other
  const before = await system.counts();
  await sleep((periods * ttlMs) / 3);
  const after = await system.counts();
  for (const lease of leases) lease.assertHeld();
  await locks.close(); // which gives all of them back
  const renewals =
    after.renewals === undefined || before.renewals === undefined ? undefined : after.renewals - before.renewals;
  return {
    locks: count,
    ttlMs,
    periods,
    renewalsPerPeriod: renewals === undefined ? undefined : renewals / periods,
    callsPerPeriod: (after.calls - before.calls) / periods,
  };
}

export interface LossFigures {
  readonly ttlMs: number;
  readonly count: number;
  /** From the deadline of the lease to its signal, with the server stopped: below zero is before. */
  readonly afterDeadlineMs: Spread;
}

export async function measureLoss({ system, pid }: Consensus, ttlMs: number, count: number): Promise<LossFigures> {
  const locks = createLocks(system.backend(), { ttlMs, waitMs: 60_000 });
  const afterMs: number[] = [];
  for (let round = 0; round < count; round++) {
    const lease = await locks.lock(`loss-${round}`).acquire();
    await sleep((ttlMs * round) / (3 * count)); // at different points of a period
    process.kill(pid, 'SIGSTOP');
    try {
      await sleep(50); // what is under way may still be answered, and prolong it; nothing is after this
      const deadlineAtMs = performance.now() + lease.remainingMs;
      if (!lease.signal.aborted) await once(lease.signal, 'abort');
      afterMs.push(performance.now() - deadlineAtMs);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  }
  await locks.close();
  return { ttlMs, count, afterDeadlineMs: spreadOf(afterMs) };
}

export interface RecoveryFigures {
  readonly ttlMs: number;
  readonly count: number;
  /** From `kill -9` of the holder to the grant of a waiter, in TTLs. */
  readonly ttls: Spread;
}

export async function measureRecovery(
  { system, reaper, address }: Consensus,
  ttlMs: number,
  count: number,
): Promise<RecoveryFigures> {
  const locks = createLocks(system.backend(), { ttlMs, waitMs: 60_000 });
  const ttls: number[] = [];
  for (let round = 0; round < count; round++) {
    const name = `killed-${round}`;
    const options = { kind: system.kind, address, id: 'holdfast', name, waiters: 0 } as const;
    const holder = new Worker(reaper, 'consensus-line', options);
    await holder.ask({ do: 'hold', ttlMs });
    const waiting = locks.lock(name).acquire();
    while ((await system.inLine(name)) < 2) await sleep(10);
    await sleep((ttlMs * round) / (3 * count)); // at different points of a period
    const killedAtMs = performance.now();
    await holder.kill();
    const lease = await waiting;
    ttls.push((performance.now() - killedAtMs) / ttlMs);
    await lease.release();
  }
  await locks.close();
  return { ttlMs, count, ttls: spreadOf(ttls) };
}

/** Processor time of a process of this machine so far, from /proc: in ticks of 10 ms. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
