import { inflict, type Scene } from '../scene.ts';
import { primaryPortBy } from '../servers/sentinels.ts';
import { until } from '../until.ts';
import { cutReplica, killPrimary, provenPrimary, replicationOf, restoreReplica } from './failover.ts';
import type { Fault } from './fault.ts';

/** Three Sentinels notice that the primary is dead, agree, and promote the replica; nobody helps them. */
export const failoverBySentinels: Fault = {
  holderSurvives: true,
  prepare: cutReplica,
  restore: restoreReplica,
  async inject(scene) {
    await killPrimary(scene);
    return leaveToSentinels(scene);
  },
};

/** Waits until they have promoted the replica. */
export async function leaveToSentinels(scene: Scene): Promise<undefined> {
  const { replica, sentinels, address } = replicationOf(scene);
  scene.report('the Sentinels are electing');
  await inflict(
    scene,
    { act: 'promote', target: 'replica', says: 'left to the three Sentinels' },
    async () => {
      const [sentinel] = sentinels;
      const agreed = async (): Promise<boolean> =>
        sentinel !== undefined && (await primaryPortBy(sentinel)) === replica.port;
      await until('The Sentinels naming the new primary', agreed, {
        limitMs: 30_000,
        everyMs: 20,
        signal: scene.signal,
      });
      address?.pointTo(replica.port);
    },
    () => provenPrimary(scene),
  );
  return undefined;
}
