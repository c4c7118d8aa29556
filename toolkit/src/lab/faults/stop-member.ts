import { inflict } from '../scene.ts';
import type { Fault } from './fault.ts';
import { provenRunning, provenStopped } from './process-state.ts';

/**
 * SIGSTOP of the one server that the holder talks to, and SIGCONT when the rival has done some work. The connection stays
 * open and says nothing, as one through a cut network does; holder and server are well otherwise.
 */
export const stopMemberOfHolder: Fault = {
  holderSurvives: true,
  async inject(scene) {
    const member = scene.cluster.memberOfA;
    if (!member) throw new Error('The holder talks to no member that was chosen for it.');
    scene.report('the holder is cut off');
    await inflict(
      scene,
      { act: 'stop', target: member.name, says: 'SIGSTOP of the one member that A talks to: A is cut off' },
      () => member.process.kill('SIGSTOP'),
      () => provenStopped(member.pid, scene.signal),
    );
    return async () => {
      scene.report('the holder is connected again');
      await inflict(
        scene,
        { act: 'continue', target: member.name, says: 'SIGCONT' },
        () => member.process.kill('SIGCONT'),
        () => provenRunning(member.pid, scene.signal),
      );
    };
  },
};
