/**
 * The first holder's ways to the servers are cut, in one direction or in both, or long; it is awake and well, and so are
 * the servers. When the rival has done some work, the ways carry again, and what was held back arrives.
 *
 * @module
 */
import { span } from '../format.ts';
import { inflict, type Scene } from '../scene.ts';
import type { BlackHole } from '../servers/black-hole.ts';
import type { Fault } from './fault.ts';

type Cut = (way: BlackHole) => void;

function waysAre(says: string | ((scene: Scene) => string), cutOf: (scene: Scene) => Cut): Fault {
  return {
    holderSurvives: true,
    async inject(scene) {
      scene.report('the holder is cut off');
      const words = typeof says === 'string' ? says : says(scene);
      await inflict(
        scene,
        { act: 'cut', target: 'A', says: words },
        () => onAll(scene, cutOf(scene)),
        async () => standing(scene),
      );
      return async () => {
        scene.report('the holder is connected again');
        await inflict(
          scene,
          { act: 'continue', target: 'A', says: 'its connections carry again' },
          () => onAll(scene, (way) => way.mend()),
          // A server may have ended those that were silent for too long.
          async () => `the server has ${connectionsOf(scene)} of its connections`,
        );
      };
    },
  };
}

export const cutOff: Fault = waysAre(
  'its connections to the server stand, and carry nothing, in neither direction',
  () => (way) => way.cut(),
);

export const withoutAnswers: Fault = waysAre(
  'its connections to the server stand, and no answer comes back on them',
  () => (way) => way.cut('answers'),
);

export const unheard: Fault = waysAre(
  'its connections to the server stand, and nothing that it asks arrives',
  () => (way) => way.cut('requests'),
);

/** An answer comes when the time that it grants is over. */
export const slowed: Fault = waysAre(
  (scene) => `each message to the server and each answer takes ${span(lateMs(scene))}`,
  (scene) => (way) => way.slow(lateMs(scene)),
);

function lateMs({ timing }: Scene): number {
  return timing.ttlMs / 2;
}

function onAll(scene: Scene, act: Cut): void {
  for (const way of waysOf(scene)) act(way);
}

function waysOf(scene: Scene): readonly BlackHole[] {
  const { waysOfA = [] } = scene.cluster;
  if (waysOfA.length === 0) throw new Error('The ways of the first holder cannot be cut.');
  return waysOfA;
}

function standing(scene: Scene): string {
  const connections = connectionsOf(scene);
  if (connections === 0) throw new Error('the holder had no connection');
  return `the server still has ${connections} of its connections`;
}

function connectionsOf(scene: Scene): number {
  return waysOf(scene).reduce((sum, way) => sum + way.connections, 0);
}
