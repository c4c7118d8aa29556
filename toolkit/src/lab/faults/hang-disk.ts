/**
 * The disk of the leader hangs: whatever it wants to be sure of on disk waits. The process lives and answers what needs no
 * disk, and does not notice that the others have elected another leader.
 *
 * strace holds the system calls up. It needs the right to trace a process of the same user.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { inflict, type Scene } from '../scene.ts';
import { type Ensemble, hasEnded, type Member } from '../servers/member.ts';
import { until } from '../until.ts';
import { ensembleOf, leaderOf } from './ensemble.ts';
import type { Fault } from './fault.ts';

/** Longer than any run. The hang ends when strace does. */
const HELD_UP_US = 600_000_000;

/** Without anything to write there is nothing that hangs. */
const WRITE_EVERY_MS = 100;

/** An election, on a busy machine. */
const DEPOSED_LIMIT_MS = 20_000;

/** The disk comes back when the rival has done some work. */
export const hangDiskOfLeader: Fault = {
  holderSurvives: true,
  async inject(scene) {
    const hang = await begin(scene);
    return () => end(scene, hang);
  },
};

/** The disk comes back while the rival still asks, and with it what the deposed leader wanted to do. */
export const hangDiskOfLeaderFor = (forMs: (ttlMs: number) => number): Fault => ({
  holderSurvives: true,
  async inject(scene) {
    const startedAt = performance.now();
    const hang = await begin(scene);
    const rest = startedAt + forMs(scene.timing.ttlMs) - performance.now();
    if (rest > 0) await sleep(rest, undefined, { signal: scene.signal });
    await end(scene, hang);
    return undefined;
  },
});

interface Hang {
  readonly leader: Member;
  readonly strace: ChildProcess;
  readonly stopWriting: () => void;
}

async function begin(scene: Scene): Promise<Hang> {
  const ensemble = ensembleOf(scene);
  const leader = await leaderOf(scene);
  scene.report("the leader's disk hangs");
  const stopWriting = keepWriting(ensemble);
  scene.onEnd(stopWriting);
  const calls = 'fdatasync,fsync';
  const args = ['-f', '-q', '-o', '/dev/null', '-e', `trace=${calls}`];
  args.push('-e', `inject=${calls}:delay_enter=${HELD_UP_US}`, '-p', String(leader.pid));
  const strace = scene.tool('strace');
  await inflict(
    scene,
    { act: 'hang', target: leader.name, says: 'its calls of fdatasync do not return, held up by strace' },
    () => strace.start(args),
    async () => {
      const deposed = async (): Promise<string | false> => {
        if (hasEnded(strace.process())) throw new Error(`strace has ended. ${strace.output()}`);
        const now = await ensemble.leader();
        return now !== undefined && now !== leader && now.name;
      };
      const successor = await until('The others electing another leader', deposed, {
        limitMs: DEPOSED_LIMIT_MS,
        everyMs: 50,
        signal: scene.signal,
      });
      if (hasEnded(leader.process)) throw new Error(`${leader.name} has ended.`);
      return `the others have elected ${successor}, and the process lives`;
    },
  );
  return { leader, strace: strace.process(), stopWriting };
}

/** strace lets go of the process when it is asked to end. */
async function end(scene: Scene, { leader, strace, stopWriting }: Hang): Promise<void> {
  scene.report('the disk is back');
  await inflict(
    scene,
    { act: 'continue', target: leader.name, says: 'its disk is back' },
    () => strace.kill('SIGTERM'),
    async () => {
      await until('strace ending', () => hasEnded(strace), { limitMs: 10_000, signal: scene.signal });
      return 'strace has let go of it';
    },
  );
  stopWriting();
}

function keepWriting(ensemble: Ensemble): () => void {
  const timer = setInterval(() => {
    ensemble.writeSomething?.().catch(() => {});
  }, WRITE_EVERY_MS);
  return () => clearInterval(timer);
}
