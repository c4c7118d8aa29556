import { inflict, type Scene } from '../scene.ts';
import type { Fault } from './fault.ts';

/**
 * The holder's connections to the server carry nothing any more, and nobody is told: no FIN, no reset. It is between two
 * pieces of work, so that the question is the lock alone: the holder has no way left to give it back.
 */
export const cutHolder: Fault = {
  holderSurvives: false,
  async inject(scene) {
    await scene.holders.A.ask('finish', {});
    scene.report("cutting the holder's network");
    await inflict(
      scene,
      { act: 'cut', target: 'A', says: 'its connections to the server stand, and carry nothing, in neither direction' },
      () => wayOf(scene).cut(),
      async () => {
        const { connections } = wayOf(scene);
        if (connections === 0) throw new Error('the holder had no connection that could be cut');
        return `the server still has ${connections} of its connections`;
      },
    );
    return undefined;
  },
};

function wayOf(scene: Scene): NonNullable<Scene['cluster']['wayOfA']> {
  if (!scene.cluster.wayOfA) throw new Error('A cut needs a way that can be cut.');
  return scene.cluster.wayOfA;
}
