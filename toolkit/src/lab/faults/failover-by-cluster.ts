import { inflict } from '../scene.ts';
import { cutReplica, killPrimary, provenPrimary, restoreReplica } from './failover.ts';
import type { Fault } from './fault.ts';

/** The nodes of a cluster notice that one of their primaries is dead, and its replica takes its slots. */
export const failoverByCluster: Fault = {
  holderSurvives: true,
  prepare: cutReplica,
  restore: restoreReplica,
  async inject(scene) {
    await killPrimary(scene);
    scene.report('the cluster is electing');
    await inflict(
      scene,
      { act: 'promote', target: 'replica', says: 'left to the other nodes' },
      () => undefined,
      () => provenPrimary(scene),
    );
    return undefined;
  },
};
