/**
 * What both failovers have in common: the replica does not get the last writes, and the primary dies.
 *
 * The replica is stopped and its link closed, and only then is the lock taken: so the lag that a busy network or a full
 * resynchronisation makes is there for certain, with no network tool. A replica that is only stopped would not do: what
 * the primary has sent lies in its socket already.
 *
 * @module
 */
import type { Replication } from '../cluster.ts';
import { inflict, type Scene } from '../scene.ts';
import { until } from '../until.ts';
import { provenDead, provenStopped } from './process-state.ts';

export function replicationOf(scene: Scene): Replication {
  if (!scene.cluster.replication) throw new Error('A failover needs a primary and a replica.');
  return scene.cluster.replication;
}

/** Before the lock is taken: from here on the replica hears nothing. */
export async function cutReplica(scene: Scene): Promise<void> {
  const { primary, replica, second } = replicationOf(scene);
  const others = second ? 1 : 0;
  scene.report('cutting the replica off');
  await inflict(
    scene,
    { act: 'cut', target: 'replica', says: 'stopped, and its link closed, so it gets no more writes' },
    async () => {
      replica.process.kill('SIGSTOP');
      await provenStopped(replica.pid, scene.signal);
      await primary.client.call('CLIENT', 'KILL', 'TYPE', 'replica');
    },
    async () => {
      // The other one has lost its link, too, and comes back by itself.
      const follows = async (): Promise<boolean> => {
        const info = await primary.client.info('replication');
        const online = info.match(/^slave\d+:.*state=online/gm) ?? [];
        return online.length === others && (second === undefined || info.includes(`port=${second.port},`));
      };
      await until('The primary seeing that', follows, { limitMs: 20_000, signal: scene.signal });
      return `the primary counts ${others} ${second ? 'replica, the other one' : 'replicas'}`;
    },
  );
}

/** The replica follows again, straight from the primary. */
export async function restoreReplica(scene: Scene): Promise<void> {
  const { primary, replica, second } = replicationOf(scene);
  const replicas = second ? 2 : 1;
  scene.report('letting the replica follow again');
  await inflict(
    scene,
    { act: 'continue', target: 'replica', says: 'it follows again' },
    async () => {
      replica.process.kill('SIGCONT');
      if (replicationOf(scene).way) await replica.client.replicaof('127.0.0.1', primary.port);
    },
    async () => {
      const acknowledges = async (): Promise<boolean> =>
        (await primary.client.call('WAIT', String(replicas), '500')) === replicas;
      await until('The replica acknowledging', acknowledges, { limitMs: 20_000, signal: scene.signal });
      return 'it acknowledges what the primary writes';
    },
  );
}

/** While the holder is at work. The replica then goes on, with what it had. */
export async function killPrimary(
  scene: Scene,
  says = 'kill -9, before the lock has reached the replica',
): Promise<void> {
  const { primary, replica } = replicationOf(scene);
  scene.report('killing the primary');
  await inflict(
    scene,
    { act: 'kill', target: 'primary', says },
    () => primary.stop(),
    () => provenDead(primary.pid, scene.signal),
  );
  replica.process.kill('SIGCONT');
  const keys = await replica.client.keys('*');
  const found = keys.length === 0 ? 'no key at all, so the lock is lost' : `${keys.length} keys: ${keys.join(', ')}`;
  scene.history.write({ f: 'server', type: 'event', event: 'keys', says: `has ${found}` }, 'replica');
}

/** Proof that the replica is the primary now. */
export async function provenPrimary(scene: Scene): Promise<string> {
  const { replica } = replicationOf(scene);
  // While it changes its role it closes connections, this one too: no answer means not yet.
  const isPrimary = async (): Promise<boolean> =>
    (await replica.info('replication', 'role').catch(() => undefined)) === 'master';
  await until('The replica becoming the primary', isPrimary, { limitMs: 30_000, signal: scene.signal });
  return 'role:master in its INFO';
}
