import { createSentinel } from '@redis/client';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocks, type FencedLease, type Locks } from '../../index.ts';
import { fromIoredis, fromNodeRedis, type RedisCommands, redisBackend } from './index.ts';
import type { RedisServer } from './test-support/redis-server.ts';
import { Replication } from './test-support/replication.ts';
import { sleep, until } from './test-support/requests.ts';
import { PRIMARY_NAME, startSentinel } from './test-support/sentinel.ts';

/** How often the primary is killed, one time after the other: `HOLDFAST_FAILOVERS=200 npm run test:more failovers`. */
const ROUNDS = Number(process.env.HOLDFAST_FAILOVERS ?? 10);

const NAMES = ['a', 'b', 'c'];
const TTL_MS = 6_000;

/**
 * A caller that waits for longer is stuck. A failover takes 3 s, and what it leaves behind is over with the TTL; on a machine
 * that is busy with other work, all of it takes several times as long.
 */
const STUCK_MS = 60_000;

let primary: RedisServer;
let replica: RedisServer;
let sentinel: RedisServer;

beforeAll(async () => {
  const servers = await Replication.start(1);
  primary = servers.primary;
  [replica] = servers.replicas as [RedisServer];
  sentinel = await startSentinel(primary, { replicas: 1, downAfterMs: 1_000 });
}, 60_000);
afterAll(async () => {
  for (const server of [sentinel, replica, primary]) await server.stop();
});

async function replicationOf({ admin }: RedisServer): Promise<string> {
  return admin.info('replication').catch(() => '');
}

/** Whether the two are a pair; a Sentinel on a busy machine may have made them change places once more. */
async function findRoles(): Promise<boolean> {
  const [one, other] = [primary, replica];
  for (const [first, second] of [
    [one, other],
    [other, one],
  ] as const) {
    if (!(await replicationOf(first)).includes('role:master')) continue;
    if (!(await replicationOf(second)).includes('master_link_status:up')) continue;
    [primary, replica] = [first, second];
    return true;
  }
  return false;
}

interface Program {
  /** How many replicas must acknowledge its leases. */
  readonly replicas: number;
  readonly locks: Locks<FencedLease>;
  close(): Promise<void>;
}

function programOn(commands: RedisCommands, close: () => unknown, replicas: number): Program {
  const locks = createLocks(redisBackend(commands, { replicas }), { ttlMs: TTL_MS, waitMs: STUCK_MS });
  return {
    replicas,
    locks,
    close: async () => {
      await locks.close();
      await close();
    },
  };
}

async function ioredisProgram(replicas: number): Promise<Program> {
  const sentinels = [{ host: '127.0.0.1', port: sentinel.port }];
  const client = new Redis({ sentinels, name: PRIMARY_NAME, maxRetriesPerRequest: 0 }).on('error', () => undefined);
  return programOn(fromIoredis(client), () => client.disconnect(), replicas);
}

async function nodeRedisProgram(): Promise<Program> {
  const sentinelRootNodes = [{ host: '127.0.0.1', port: sentinel.port }];
  const client = createSentinel({ name: PRIMARY_NAME, sentinelRootNodes });
  client.on('error', () => undefined);
  await client.connect();
  return programOn(fromNodeRedis(client), () => client.destroy(), 0);
}

/** One lease, as its caller saw it. */
interface Record {
  readonly name: string;
  readonly token: bigint;
  readonly askedAt: number;
  readonly grantedAt: number;
}

it(`${ROUNDS} failovers in a row leave no orphan, no stuck waiter, and repeat no token`, {
  timeout: ROUNDS * 120_000,
}, async () => {
  const programs = [await ioredisProgram(0), await nodeRedisProgram(), await ioredisProgram(1)];
  const records: Record[] = [];
  const counts = { lost: 0, unconfirmed: 0 };
  const stuck: unknown[] = [];
  const waits: { readonly unreplicated: number[]; readonly replicated: number[] } = {
    unreplicated: [],
    replicated: [],
  };
  /** How many leases each caller has had. */
  const had = [0, 0, 0, 0, 0, 0];
  let isOver = false;
  const work = async ({ locks, replicas }: Program, caller: number): Promise<void> => {
    while (!isOver) {
      const name = NAMES[Math.floor(Math.random() * NAMES.length)] as string;
      const askedAt = performance.now();
      let lease: FencedLease;
      try {
        lease = await locks.lock(name).acquire();
      } catch (error) {
        stuck.push(error);
        continue;
      }
      const grantedAt = performance.now();
      records.push({ name, token: lease.fencingToken, askedAt, grantedAt });
      waits[replicas === 0 ? 'unreplicated' : 'replicated'].push(grantedAt - askedAt);
      had[caller] = (had[caller] ?? 0) + 1;
      await sleep(Math.random() * 30);
      await lease.release().catch((error: { code: string }) => {
        if (error.code === 'LOST') counts.lost++;
        else counts.unconfirmed++;
      });
    }
  };
  // Two callers in each program, so that there are waiters within and between them.
  const workers = programs.flatMap((program, index) => [work(program, 2 * index), work(program, 2 * index + 1)]);

  const promotedMs: number[] = [];
  /** From the promotion to the seventh lease on the new primary. */
  const awayMs: number[] = [];
  const orphans: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = [...had];
    await until(
      'leases for every caller between two failovers',
      () => had.every((leases, caller) => leases > (before[caller] ?? 0) + 3),
      STUCK_MS,
    );
    await sleep(Math.random() * 200);
    await until('a primary, and a replica in step', findRoles, STUCK_MS);
    const killedAt = performance.now();
    await primary.kill();
    const grants = records.length;
    await until('the promotion', async () => (await replica.admin.role().catch(() => []))[0] === 'master', STUCK_MS);
    const promotedAt = performance.now();
    promotedMs.push(promotedAt - killedAt);
    await until('a lease on the new primary', () => records.length > grants + 6, STUCK_MS);
    awayMs.push(performance.now() - promotedAt);
    // The dead one comes back, empty, as the replica of the new one.
    const follow = ['--replicaof', '127.0.0.1', String(replica.port)];
    await primary.startAgain([...follow, '--repl-diskless-sync-delay', '0']); // else each replica waits 5 s for others
    await until('a primary, and a replica in step', findRoles, STUCK_MS);
    if ((round + 1) % 10 === 0) console.log(summary(round + 1));
  }
  isOver = true;
  await Promise.all(workers);
  for (const program of programs) await program.close();
  // Whoever held has given back, or knows that it has lost: what is left is nobody's, and a TTL later it would not show.
  const isLock = (key: string): boolean => /^holdfast(:|\.queue|\.waiters)/.test(key);
  const isFree = async (): Promise<boolean> => !(await primary.keys()).some(isLock);
  await until('a primary without locks', isFree, TTL_MS / 2).catch(async () => {
    orphans.push(...(await primary.keys()).filter(isLock));
  });
  console.log(summary(ROUNDS));
  expect(stuck).toEqual([]);
  expect(orphans).toEqual([]);
  expect(new Set(tokens(records)).size).toBe(records.length);
  expect(outOfOrder(records)).toBe(0);

  function summary(failovers: number): string {
    return JSON.stringify({
      failovers,
      leases: records.length,
      ...counts,
      stuck: stuck.map(String),
      orphans: orphans.length,
      repeatedTokens: records.length - new Set(tokens(records)).size,
      outOfOrder: outOfOrder(records),
      promotedAfterMs: { median: median(promotedMs), most: Math.round(Math.max(...promotedMs)) },
      sevenLeasesAfterMs: { median: median(awayMs), most: Math.round(Math.max(...awayMs)) },
      longestWaitMs: Math.round(Math.max(...waits.unreplicated)),
      longestWaitForReplicasMs: Math.round(Math.max(...waits.replicated)),
    });
  }
});

function tokens(records: readonly Record[]): string[] {
  return records.map(({ name, token }) => `${name} ${token}`);
}

function median(list: readonly number[]): number {
  return Math.round([...list].sort((a, b) => a - b)[list.length >> 1] ?? 0);
}

/** How many leases have a smaller token than one that was there before they were asked for. */
function outOfOrder(records: readonly Record[]): number {
  let count = 0;
  for (const name of NAMES) {
    const ours = records.filter((record) => record.name === name);
    let largest = 0n;
    let next = 0;
    const byGrant = [...ours].sort((a, b) => a.grantedAt - b.grantedAt);
    for (const { askedAt, token } of [...ours].sort((a, b) => a.askedAt - b.askedAt)) {
      for (; (byGrant[next]?.grantedAt ?? Number.POSITIVE_INFINITY) < askedAt; next++) {
        const before = byGrant[next]?.token ?? 0n;
        if (before > largest) largest = before;
      }
      if (token <= largest) count++;
    }
  }
  return count;
}
