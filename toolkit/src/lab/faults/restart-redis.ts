/**
 * A Redis server dies and is started again with what it has on disk.
 *
 * A killed process loses nothing that it has written to its file, since the kernel has it. It does lose what it still has in
 * its memory: with `appendfsync everysec` Redis answers before it has written, for up to two seconds, while an `fdatasync` is
 * under way. So `kill -9` loses nothing where the disk is quick, and a lock where it hangs. What only a power cut loses is what
 * had not been brought to the disk yet. That is imitated here, and said so: a trace of the server's own system calls tells how
 * long its log was at the last `fdatasync` that had returned, and the file is cut there.
 *
 * @module
 */
import { statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import type { Restartable } from '../cluster.ts';
import { inflict, type Scene } from '../scene.ts';
import { LOG_OF_WRITES } from '../servers/persistence.ts';
import type { RedisServer } from '../servers/redis.ts';
import type { Tool } from '../tool.ts';
import { until } from '../until.ts';
import { acquireFree, work } from '../workloads/steps.ts';
import { syncedBytes, writtenBytes } from './disk-trace.ts';
import type { Fault } from './fault.ts';
import { provenDead } from './process-state.ts';

export const restartRedis: Fault = {
  holderSurvives: true,
  async inject(scene) {
    await kill(scene);
    await startAgain(scene);
    return undefined;
  },
};

/** The log is synced before each reply, so that nothing is lost. */
export const cutPowerOfRedis: Fault = {
  holderSurvives: true,
  prepare: traceDisk,
  async inject(scene) {
    await kill(scene);
    await cutLog(scene);
    await startAgain(scene);
    return undefined;
  },
};

/** The log is synced every second, and the lock was taken since: void where it was on the disk before the server is dead. */
export const cutPowerBeforeSync: Fault = {
  holderSurvives: true,
  prepare: traceDisk,
  async inject(scene) {
    const bytesBeforeLock = await takeSinceSync(scene);
    await kill(scene);
    await cutLog(scene, bytesBeforeLock);
    await startAgain(scene);
    return undefined;
  },
};

/** The disk hangs, and the lock is taken while the server keeps what it would write in its memory. */
export const killOfRedisWhoseDiskHangs: Fault = {
  holderSurvives: true,
  async inject(scene) {
    // Before the hang, since what is not written is lost: the release would be, too.
    await giveBack(scene);
    const strace = await hangDisk(scene);
    await take(scene);
    await kill(scene, strace);
    await startAgain(scene);
    return undefined;
  },
};

interface Trace {
  readonly strace: Tool;
  readonly file: string;
  /** How long the log was when the trace began. */
  readonly bytesBefore: number;
}

const traces: WeakMap<Scene, Trace> = new WeakMap();

/** Begins to look at what reaches the disk, just after something has: the next time is a second away then. */
async function traceDisk(scene: Scene): Promise<void> {
  const { redis, folder } = restartableOf(scene);
  scene.report('looking at what reaches the disk');
  const file = path.join(folder, LOG_OF_WRITES);
  const strace = scene.tool('strace');
  const bytesBefore = statSync(file).size;
  strace.start(['-f', '-e', 'trace=write,fdatasync,fsync', '-P', file, '-p', String(redis.pid)]);
  traces.set(scene, { strace, file, bytesBefore });
  const limits = { limitMs: 20_000, everyMs: 20, signal: scene.signal };
  await until('strace looking at the server', () => strace.output().includes('attached'), limits);
  await redis.client.set('holdfast-lab:synced', '1', 'PX', 60_000);
  await until('the log reaching the disk', () => syncedBytes(strace.output()) > 0, limits);
}

/** It takes as long as taking a lock and a second of Redis overlap only now and then. */
const TRIES = 20;

/**
 * Redis syncs when a second of its clock is over, whoever has just written. So the lock is taken right after a sync, and again
 * if the next one came before the server could be killed. Gives how long the log was before the lock was in it.
 */
async function takeSinceSync(scene: Scene): Promise<number> {
  const { redis } = restartableOf(scene);
  const { strace } = traceOf(scene);
  for (let tries = 1; ; tries++) {
    await giveBack(scene);
    await redis.client.set('holdfast-lab:synced', String(tries), 'PX', 60_000);
    const written = writtenBytes(strace.output());
    await until('the log reaching the disk', () => syncedBytes(strace.output()) >= written, {
      limitMs: 20_000,
      everyMs: 10,
      signal: scene.signal,
    });
    const bytesBeforeLock = writtenBytes(strace.output());
    await take(scene);
    if (syncedBytes(strace.output()) <= bytesBeforeLock) return bytesBeforeLock;
    if (tries === TRIES)
      throw new Error(`In ${tries} tries the lock was on the disk before the server could be killed.`);
  }
}

async function giveBack({ holders: { A }, report }: Scene): Promise<void> {
  report('A gives the lock back');
  await A.ask('finish', {});
  await A.ask('release', {});
}

async function take(scene: Scene): Promise<void> {
  scene.report('A takes the lock');
  await acquireFree(scene, scene.holders.A);
  await work(scene.holders.A);
}

/** Longer than it takes until the server is dead. */
const HELD_UP_US = 20_000_000;

/** From here on Redis answers, and writes nothing, for two seconds. */
async function hangDisk(scene: Scene): Promise<Tool> {
  const { redis } = restartableOf(scene);
  scene.report('the disk hangs');
  const strace = scene.tool('strace');
  const calls = 'fdatasync';
  const limits = { limitMs: 20_000, everyMs: 10, signal: scene.signal };
  const isPending = async (): Promise<boolean> =>
    (await redis.info('persistence', 'aof_pending_bio_fsync')) === '1' && isHeld(strace.output());
  await inflict(
    scene,
    { act: 'hang', target: 'redis', says: 'its calls of fdatasync do not return, held up by strace' },
    async () => {
      strace.start([
        '-f',
        '-e',
        `trace=${calls}`,
        '-e',
        `inject=${calls}:delay_enter=${HELD_UP_US}`,
        '-p',
        String(redis.pid),
      ]);
      await until('strace looking at the server', () => strace.output().includes('attached'), limits);
      await redis.client.set('holdfast-lab:synced', '1', 'PX', 60_000);
    },
    async () => {
      await until('a sync of the server hanging', isPending, limits);
      return 'it answers, with aof_pending_bio_fsync:1 in its INFO';
    },
  );
  return strace;
}

/** Whether a sync has begun and not returned. */
function isHeld(trace: string): boolean {
  return [...trace.matchAll(/fdatasync\(/g)].length > [...trace.matchAll(/fdatasync.*= 0/g)].length;
}

/** What holds a call up keeps a dead process from being gone, and ends after it. */
async function kill(scene: Scene, holdsUp?: Tool): Promise<void> {
  const { redis } = restartableOf(scene);
  scene.report('killing the server');
  await inflict(
    scene,
    { act: 'kill', target: 'redis', says: 'kill -9' },
    () => {
      redis.stop();
      holdsUp?.stop();
    },
    () => provenDead(redis.pid, scene.signal),
  );
}

function traceOf(scene: Scene): Trace {
  const trace = traces.get(scene);
  if (trace === undefined) throw new Error('Nobody has looked at what reached the disk.');
  return trace;
}

async function cutLog(scene: Scene, bytesBeforeLock = Number.POSITIVE_INFINITY): Promise<void> {
  const { strace, file, bytesBefore } = traceOf(scene);
  let synced = 0;
  let lost = 0;
  await inflict(
    scene,
    { act: 'cut', target: 'redis', says: 'imitated power cut: its log ends where the last fdatasync had brought it' },
    () => {
      synced = syncedBytes(strace.output());
      lost = statSync(file).size - (bytesBefore + synced);
      truncateSync(file, bytesBefore + synced);
    },
    async () => {
      const wasSynced = Number.isFinite(bytesBeforeLock) && synced > bytesBeforeLock;
      if (wasSynced) throw new Error('the lock was on the disk: the second was over before the server died');
      return `${lost} bytes were not on the disk yet`;
    },
  );
}

async function startAgain(scene: Scene): Promise<void> {
  scene.report('starting the server again');
  let again: RedisServer | undefined;
  await inflict(
    scene,
    { act: 'start', target: 'redis', says: 'on the same address, with what it has on disk' },
    async () => {
      again = await restartableOf(scene).startAgain();
      const isLoading = async (): Promise<boolean> => (await again?.info('persistence', 'loading')) === '1';
      await until('The server having read it', async () => !(await isLoading()), {
        limitMs: 10_000,
        signal: scene.signal,
      });
    },
    async () => `process ${again?.pid}`,
  );
  const keys = (await again?.client.keys('*'))?.filter((key) => key.includes(scene.lockName)) ?? [];
  const says = keys.length === 0 ? 'has no key of the lock, so it is lost' : 'has the key of the lock';
  scene.history.write({ f: 'server', type: 'event', event: 'keys', says }, 'redis');
}

function restartableOf(scene: Scene): Restartable {
  if (!scene.cluster.restartable) throw new Error('This fault needs one Redis server of the lab.');
  return scene.cluster.restartable;
}
