import { inflict, type Scene } from '../scene.ts';
import { until } from '../until.ts';
import { cutReplica, killPrimary, provenPrimary, replicationOf, restoreReplica } from './failover.ts';
import type { Fault } from './fault.ts';

/** An operator promotes the replica and points the clients' address at it. */
async function promote(scene: Scene): Promise<undefined> {
  const { replica, address } = replicationOf(scene);
  scene.report('promoting the replica');
  await inflict(
    scene,
    { act: 'promote', target: 'replica', says: 'REPLICAOF NO ONE, and the clients are pointed at it' },
    async () => {
      await replica.client.replicaof('NO', 'ONE');
      address?.pointTo(replica.port);
    },
    () => provenPrimary(scene),
  );
  return undefined;
}

/** The primary dies before the lock has reached the replica. */
export const failoverByHand: Fault = {
  holderSurvives: true,
  prepare: cutReplica,
  restore: restoreReplica,
  async inject(scene) {
    await killPrimary(scene);
    return promote(scene);
  },
};

/** The primary dies when the replica has what it had: the healthy case. */
export const failoverInStep: Fault = {
  holderSurvives: true,
  async inject(scene) {
    await killInStep(scene);
    return promote(scene);
  },
};

/** When all replicas have what the primary has. */
export async function killInStep(scene: Scene): Promise<void> {
  const { primary, second } = replicationOf(scene);
  const replicas = second ? 2 : 1;
  const acknowledged = async (): Promise<boolean> =>
    (await primary.client.call('WAIT', String(replicas), '500')) === replicas;
  await until('The replica acknowledging', acknowledged, { limitMs: 20_000, signal: scene.signal });
  await killPrimary(scene, 'kill -9, with a replica that is in step');
}

/** The primary counts a replica of which it hears nothing more, for as long as its rule about replicas lets it. */
export const failoverUnnoticed: Fault = {
  holderSurvives: true,
  restore: restoreReplica,
  async prepare(scene) {
    const { primary, way } = replicationOf(scene);
    scene.report('cutting the replica off, unnoticed');
    await inflict(
      scene,
      { act: 'cut', target: 'replica', says: 'a black hole in its way: its primary has heard of it just now' },
      () => way?.cut(),
      async () => {
        const good = await primary.info('replication', 'min_slaves_good_slaves');
        const connected = await primary.info('replication', 'connected_slaves');
        if (good !== '1') throw new Error(`The primary counts ${good} good replicas already.`);
        return `the primary counts ${connected} replica, and ${good} that is good`;
      },
    );
  },
  async inject(scene) {
    await killPrimary(scene);
    return promote(scene);
  },
};
