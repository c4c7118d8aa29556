import { inflict } from '../scene.ts';
import type { Fault } from './fault.ts';
import { processesIn } from './process-group.ts';
import { provenDead, provenOfAll } from './process-state.ts';

/** `kill -9` of the process that holds the lock: it cleans up nothing and tells nobody. */
export const killHolder: Fault = {
  holderSurvives: false,
  async inject(scene) {
    const { A } = scene.holders;
    scene.report('killing the holder');
    const processes = processesIn(A.pid);
    await inflict(
      scene,
      { act: 'kill', target: 'A', says: 'kill -9, in the middle of its work' },
      () => A.kill(),
      () => provenOfAll(processes, provenDead, scene.signal),
    );
    return undefined;
  },
};
