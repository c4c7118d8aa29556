/**
 * What is measured on a database. Variants alternate within each round, so that what disturbs the machine disturbs all.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createLocks, Instant, type Lease, type Locks, systemClock } from 'holdfast';
import type { Reaper } from '../../lab/reaper.ts';
import { alternate } from '../bench.ts';
import { quantile, ratios, type Spread, spreadOf } from '../statistics.ts';
import type { Client, Database, Pair } from './database.ts';

/** The built program: beside the other programs, or in dist when this file runs as a source, in a test. */
const HOLDER = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../../../dist/bench/processes/sql-holder.mjs' : '../processes/sql-holder.mjs',
    import.meta.url,
  ),
);

const soon = (): Instant => Instant.plus(systemClock.now(), 60_000);

export const PAIRS = ['bare row', 'lease row', 'bare session lock', 'session lock'] as const;
export type PairId = (typeof PAIRS)[number];

export interface PairFigures {
  readonly perSecond: Readonly<Record<PairId, Spread>>;
  readonly rowRatio: Spread;
  readonly sessionRatio: Spread;
  /** The session locks of others, against the bare one. */
  readonly others: readonly { readonly name: string; readonly perSecond: Spread; readonly ratio: Spread }[];
}

/** Acquire and release, one after the other, nobody else wanting the lock. The pairs of others take part in each round. */
export async function measurePairs(
  database: Database,
  rounds: number,
  forMs: number,
  others: Readonly<Record<string, Pair>> = {},
): Promise<PairFigures> {
  const client = await database.open();
  const [rows, sessions] = [createLocks(client.backend), createLocks(client.session)];
  const ours: Record<PairId, Pair> = {
    async 'bare row'() {
      await client.bareRow.acquire('row', 30_000);
      await client.bareRow.release('row');
    },
    'lease row': async () => (await rows.lock('pairs').acquire()).release(),
    'bare session lock': client.bareSession,
    'session lock': async () => (await sessions.lock('pairs').acquire()).release(),
  };
  const pairs: Readonly<Record<string, Pair>> = { ...others, ...ours };
  const names = Object.keys(others);
  const measured = await alternate([...PAIRS, ...names], rounds, async (id) => {
    const pair = pairs[id] as Pair;
    const startedAt = performance.now();
    let count = 0;
    for (; performance.now() - startedAt < forMs; count++) await pair();
    return (count * 1_000) / (performance.now() - startedAt);
  });
  await Promise.all([rows.close(), sessions.close()]);
  await client.close();
  const rates = (id: string): number[] => measured[id] as number[];
  return {
    perSecond: Object.fromEntries(PAIRS.map((id) => [id, spreadOf(rates(id))])) as Record<PairId, Spread>,
    rowRatio: ratios(rates('lease row'), rates('bare row')),
    sessionRatio: ratios(rates('session lock'), rates('bare session lock')),
    others: names.map((name) => ({
      name,
      perSecond: spreadOf(rates(name)),
      ratio: ratios(rates(name), rates('bare session lock')),
    })),
  };
}

export interface HandOverFigures {
  readonly waiters: number;
  readonly p50Ms: Spread;
  readonly statements: Spread;
  /** A bare notification, right before and after; and how many of it a hand-over takes. */
  readonly notifyMs: Spread | undefined;
  readonly notifyRatio: Spread | undefined;
}

/** From the call that releases to the next holder's grant, with so many in line, in ten processes' worth of clients. */
export async function measureHandOver(database: Database, waiters: number, rounds: number): Promise<HandOverFigures> {
  const clients = await Promise.all(Array.from({ length: Math.min(10, waiters) }, () => database.open()));
  // A Locks object has a line of its own and sends its head to the server: so each of these waits there.
  const lines = Array.from({ length: waiters }, (_, index) =>
    createLocks((clients[index % clients.length] as Client).backend, { ttlMs: 30_000 }),
  );
  const holder = createLocks((clients[0] as Client).backend);
  const [p50s, statements, notify, ratio]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (let round = -1; round < rounds; round++) {
    const bare: number[] = [];
    for (let count = 0; database.notifyMs && count < 10; count++) bare.push(await database.notifyMs());
    const { gaps, sent } = await oneLine(database, clients[0] as Client, holder, lines, `line:${waiters}:${round}`);
    if (round < 0) continue;
    p50s.push(quantile(gaps, 0.5));
    statements.push(sent / gaps.length);
    if (bare.length > 0) {
      notify.push(quantile(bare, 0.5));
      ratio.push(quantile(gaps, 0.5) / quantile(bare, 0.5));
    }
  }
  await Promise.all([...lines, holder].map((locks) => locks.close()));
  await Promise.all(clients.map((client) => client.close()));
  return {
    waiters,
    p50Ms: spreadOf(p50s),
    statements: spreadOf(statements),
    notifyMs: notify.length > 0 ? spreadOf(notify) : undefined,
    notifyRatio: ratio.length > 0 ? spreadOf(ratio) : undefined,
  };
}

async function oneLine(
  database: Database,
  { backend }: Client,
  holder: Locks<Lease>,
  lines: readonly Locks<Lease>[],
  name: string,
): Promise<{ gaps: number[]; sent: number }> {
  const first = await holder.lock(name).acquire();
  const gaps: number[] = [];
  let releasedAt = 0;
  const through = lines.map(async (locks) => {
    const lease = await locks.lock(name).acquire({ waitMs: 120_000 });
    gaps.push(performance.now() - releasedAt);
    releasedAt = performance.now();
    await lease.release();
  });
  while ((await backend.inspect(name, soon())).waiters.length < lines.length) await sleep(20);
  const before = await database.statements();
  releasedAt = performance.now();
  await first.release();
  await Promise.all(through);
  return { gaps, sent: (await database.statements()) - before };
}

export interface WaitingFigures {
  readonly waiters: number;
  /** The most that were in use at any look. */
  readonly connections: number;
  readonly statementsPerSecond: number;
}

/** So many waiters, each for a lock of its own, while nothing happens. */
export async function measureWaiting(database: Database, waiters: number, forMs: number): Promise<WaitingFigures> {
  const [holding, waiting] = [await database.open(), await database.open()];
  const options = { ttlMs: 300_000, callMs: 60_000 };
  const [holder, rival] = [createLocks(holding.backend, options), createLocks(waiting.backend, options)];
  const names = Array.from({ length: waiters }, (_, index) => `waiting:${index}`);
  const held = await Promise.all(names.map((name) => holder.lock(name).acquire({ waitMs: 60_000 })));
  const ended = new AbortController();
  const waits = names.map((name) =>
    rival
      .lock(name)
      .acquire({ waitMs: 600_000, signal: ended.signal })
      .catch(() => undefined),
  );
  const inLine = async (): Promise<number> =>
    (await holding.backend.list(soon())).filter((lock) => lock.waiters.length > 0).length;
  while ((await inLine()) < waiters) await sleep(200);
  await sleep(1_000);
  const before = await database.statements();
  const startedAt = performance.now();
  let connections = 0;
  while (performance.now() - startedAt < forMs) {
    connections = Math.max(connections, waiting.inUse());
    await sleep(5);
  }
  const statementsPerSecond = (((await database.statements()) - before) * 1_000) / (performance.now() - startedAt);
  ended.abort();
  await Promise.all(waits);
  await Promise.all(held.map((lease) => lease.release()));
  await Promise.all([holder.close(), rival.close()]);
  await Promise.all([holding.close(), waiting.close()]);
  return { waiters, connections, statementsPerSecond };
}

export interface HeldFigures {
  readonly locks: number;
  readonly periods: number;
  readonly statementsPerPeriod: number;
}

/** So many held locks, and the statements that renew them: all of them fall due once in a third of the TTL. */
export async function measureHeld(
  database: Database,
  count: number,
  ttlMs: number,
  periods: number,
): Promise<HeldFigures> {
  const client = await database.open();
  const locks = createLocks(client.backend, { ttlMs, callMs: 60_000 });
  const held = await Promise.all(
    Array.from({ length: count }, (_, index) => locks.lock(`held:${index}`).acquire({ waitMs: 60_000 })),
  );
  await sleep(ttlMs); // the first renewals bring those together that were acquired one after the other
  const before = await database.statements();
  await sleep((periods * ttlMs) / 3);
  // The question for the count is one of those that a server counts.
  const sent = (await database.statements()) - before - (database.name === 'mysql' ? 1 : 0);
  if (held.some((lease) => lease.state !== 'held')) throw new Error('A held lock was lost while it was measured.');
  await Promise.all(held.map((lease) => lease.release()));
  await locks.close();
  await client.close();
  return { locks: count, periods, statementsPerPeriod: sent / periods };
}

export interface RecoveryFigures {
  readonly kills: number;
  readonly recoveryMs: Spread;
}

/** From `kill -9` of a process that holds a session lock to the grant of another, which asks without a pause. */
export async function measureRecovery(
  database: Database,
  url: string,
  kills: number,
  reaper: Reaper,
): Promise<RecoveryFigures> {
  const client = await database.open();
  const locks = createLocks(client.session);
  const times: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const name = `recovery:${kill}`;
    const child = reaper.spawn(process.execPath, [HOLDER, url, name], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await once(child, 'message');
    times.push(await killedFor(child, locks, name));
  }
  await locks.close();
  await client.close();
  return { kills, recoveryMs: spreadOf(times) };
}

async function killedFor(child: ChildProcess, locks: Locks<Lease>, name: string): Promise<number> {
  if ((await locks.lock(name).tryAcquire()) !== null) throw new Error('A lock that is held was given away.');
  const killedAt = performance.now();
  child.kill('SIGKILL');
  for (;;) {
    const lease = await locks.lock(name).tryAcquire();
    if (lease === null) continue;
    const tookMs = performance.now() - killedAt;
    await lease.release();
    return tookMs;
  }
}
