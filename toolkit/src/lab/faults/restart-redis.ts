/**
 * A Redis server dies and is started again with what it has on disk.
 *
 * A killed process loses nothing that it has written to its file, since the kernel has it: that is what `kill -9` can show.
 * What only a power cut loses is what had not been brought to the disk yet. That is imitated here, and said so: a trace of
 * the server's own system calls tells how long its log was at the last `fdatasync` that had returned, and the file is cut
 * there.
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
import { syncedBytes } from './disk-trace.ts';
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

/** `losesSome`: the experiment is about a log that was not on the disk yet, and without that it is void. */
export const cutPowerOfRedis = ({ losesSome }: { readonly losesSome: boolean }): Fault => ({
  holderSurvives: true,
  prepare: traceDisk,
  async inject(scene) {
    await kill(scene);
    await cutLog(scene, losesSome);
    await startAgain(scene);
    return undefined;
  },
});

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

async function kill(scene: Scene): Promise<void> {
  const { redis } = restartableOf(scene);
  scene.report('killing the server');
  await inflict(
    scene,
    { act: 'kill', target: 'redis', says: 'kill -9' },
    () => redis.stop(),
    () => provenDead(redis.pid, scene.signal),
  );
}

async function cutLog(scene: Scene, losesSome: boolean): Promise<void> {
  const trace = traces.get(scene);
  if (trace === undefined) throw new Error('Nobody has looked at what reached the disk.');
  const { strace, file, bytesBefore } = trace;
  let lost = 0;
  await inflict(
    scene,
    { act: 'cut', target: 'redis', says: 'imitated power cut: its log ends where the last fdatasync had brought it' },
    () => {
      const synced = bytesBefore + syncedBytes(strace.output());
      lost = statSync(file).size - synced;
      truncateSync(file, synced);
    },
    async () => {
      if (losesSome && lost === 0) throw new Error('all was on the disk: the second was over before the server died');
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
