import { inflict } from '../scene.ts';
import { cutReplica, killPrimary, provenPrimary, replicationOf } from './failover.ts';
import type { Fault } from './fault.ts';

/** An operator promotes the replica and points the clients' address at it. */
export const failoverByHand: Fault = {
  holderSurvives: true,
  prepare: cutReplica,
  async inject(scene) {
    const { replica, address } = replicationOf(scene);
    await killPrimary(scene);
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
  },
};
