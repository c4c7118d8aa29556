/**
 * What is measured on five servers. Variants alternate within each round, so that what disturbs the machine disturbs all.
 *
 * @module
 */
import { Relay } from 'holdfast/contract';
import type { RedisServer } from '../../lab/servers/redis.ts';
import { alternate } from '../bench.ts';
import { quantile, ratios, type Spread, spreadOf } from '../statistics.ts';
import { FIVE, five, openOurs, type Variant } from './variants.ts';

const WARM_UP = { pairs: 2_000, mostMs: 5_000 };

export interface PairFigures {
  readonly name: string;
  readonly perSecond: Spread;
  /** The processor time of this process for one pair, the servers not counted. */
  readonly cpuUs: Spread;
  /** How `holdfast/redlock` compares to this, round by round. */
  readonly fiveAgainstIt: Spread | undefined;
}

interface Slice {
  readonly perSecond: number;
  readonly cpuUs: number;
}

/** Acquire and release, one after the other, nobody else wanting the lock. */
export async function measurePairs(
  variants: readonly Variant[],
  rounds: number,
  forMs: number,
): Promise<readonly PairFigures[]> {
  // What the compiler makes of a variant is the same from here on.
  for (const { pair } of variants) {
    const startedAt = performance.now();
    for (let count = 0; count < WARM_UP.pairs && performance.now() - startedAt < WARM_UP.mostMs; count++) await pair();
  }
  return comparePairs(variants, rounds, forMs);
}

async function comparePairs(
  variants: readonly Variant[],
  rounds: number,
  forMs: number,
): Promise<readonly PairFigures[]> {
  const byName = new Map(variants.map((variant) => [variant.name, variant]));
  const slices = await alternate([...byName.keys()], rounds, (name) => slice(byName.get(name) as Variant, forMs));
  const rates = (name: string): number[] => (slices[name] as Slice[]).map(({ perSecond }) => perSecond);
  return variants.map(({ name }) => ({
    name,
    perSecond: spreadOf(rates(name)),
    cpuUs: spreadOf((slices[name] as Slice[]).map(({ cpuUs }) => cpuUs)),
    fiveAgainstIt: name === FIVE ? undefined : ratios(rates(FIVE), rates(name)),
  }));
}

async function slice({ pair }: Variant, forMs: number): Promise<Slice> {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  let count = 0;
  for (; performance.now() - startedAt < forMs; count++) await pair();
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: (count * 1_000) / tookMs, cpuUs: (user + system) / count };
}

/** The same, with each message held back for so long in either direction, as between machines. */
export async function measureApart(
  servers: readonly RedisServer[],
  eachWayMs: number,
  rounds: number,
  forMs: number,
): Promise<readonly PairFigures[]> {
  const relays = await Promise.all(servers.map(({ port }) => Relay.start(port)));
  const variants = await openOurs(relays.map(({ port }) => port));
  for (const { pair } of variants) await pair();
  for (const relay of relays) relay.slow(eachWayMs);
  try {
    return await comparePairs(variants, rounds, forMs);
  } finally {
    for (const relay of relays) relay.heal();
    for (const variant of variants) await variant.close();
    for (const relay of relays) await relay.close();
  }
}

export interface OutageFigures {
  readonly servers: string;
  readonly pairs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Single pairs while some of the servers are dead, and others frozen; the last measure ends them. */
export async function measureOutages(
  servers: readonly RedisServer[],
  pairs: number,
): Promise<readonly OutageFigures[]> {
  const clients = five(servers.map(({ port }) => port));
  const [, , , fourth, fifth] = servers as [RedisServer, RedisServer, RedisServer, RedisServer, RedisServer];
  try {
    for (let warm = 0; warm < 200; warm++) await clients.pair();
    const figures = [await pairTimes('all well', clients, pairs)];
    fourth.process.kill('SIGSTOP');
    figures.push(await pairTimes('one frozen', clients, pairs));
    fourth.process.kill('SIGCONT');
    fifth.stop();
    figures.push(await pairTimes('one dead', clients, pairs));
    fourth.process.kill('SIGSTOP');
    figures.push(await pairTimes('one frozen and one dead', clients, pairs));
    return figures;
  } finally {
    fourth.process.kill('SIGCONT');
    await clients.close();
  }
}

async function pairTimes(servers: string, { pair }: Variant, pairs: number): Promise<OutageFigures> {
  const times: number[] = [];
  for (let count = 0; count < pairs; count++) {
    const startedAt = performance.now();
    await pair();
    times.push(performance.now() - startedAt);
  }
  return { servers, pairs, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), maxMs: quantile(times, 1) };
}
