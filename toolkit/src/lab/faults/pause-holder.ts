import { setTimeout as sleep } from 'node:timers/promises';
import { inflict } from '../scene.ts';
import type { Fault } from './fault.ts';
import { processesIn } from './process-group.ts';
import { provenOfAll, provenRunning, provenStopped } from './process-state.ts';

/** Long enough that the signal arrives in the time between a read and its write. */
const DWELL_MS = 500;

/**
 * SIGSTOP, between a read and its write, and SIGCONT when the rival has done some work. That is what a garbage
 * collection, a suspended virtual machine or a starved container does to a process, and it stops the timers that renew.
 */
export const pauseHolder: Fault = {
  holderSurvives: true,
  async inject(scene) {
    const { A } = scene.holders;
    await A.ask('dwell', { forMs: DWELL_MS });
    scene.report('the holder is stopped');
    const processes = processesIn(A.pid);
    const stoppedAt = performance.now();
    await inflict(
      scene,
      { act: 'stop', target: 'A', says: 'SIGSTOP between a read and its write: its timers stop too' },
      () => A.signal('SIGSTOP'),
      () => provenOfAll(processes, provenStopped, scene.signal),
    );
    return async () => {
      const rest = stoppedAt + scene.timing.stoppedForMs - performance.now();
      if (rest > 0) await sleep(rest, undefined, { signal: scene.signal });
      scene.report('the holder wakes');
      await inflict(
        scene,
        { act: 'continue', target: 'A', says: 'SIGCONT' },
        () => A.signal('SIGCONT'),
        () => provenOfAll(processes, provenRunning, scene.signal),
      );
    };
  },
};
