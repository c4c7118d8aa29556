import { inflict, type Scene } from '../scene.ts';
import { cutReplica, replicationOf, restoreReplica } from './failover.ts';
import { failoverByHand, killInStep } from './failover-by-hand.ts';
import { leaveToSentinels } from './failover-by-sentinels.ts';
import type { Fault } from './fault.ts';
import { ProcessClock } from './process-clock.ts';

/** What reading a clock over a connection, and rounding to seconds, may cost. */
const TOLERANCE_S = 2;

const AN_HOUR_S = 3_600;

/** What the replica has is whole, and the time at which its keys end is over there already. */
export const failoverToClockAhead: Fault = {
  holderSurvives: true,
  prepare: (scene) => moveClock(scene, Math.ceil((2 * scene.timing.ttlMs) / 1_000)),
  async inject(scene) {
    await killInStep(scene);
    return leaveToSentinels(scene);
  },
};

/** It has neither the lock nor its counter, and tokens that are its time would be smaller than those before. */
export const failoverToClockBehind: Fault = {
  holderSurvives: true,
  async prepare(scene) {
    await moveClock(scene, -AN_HOUR_S);
    await cutReplica(scene);
  },
  restore: restoreReplica,
  inject: failoverByHand.inject,
};

async function moveClock(scene: Scene, seconds: number): Promise<void> {
  const { replica } = replicationOf(scene);
  scene.report('moving the clock of the replica');
  await inflict(
    scene,
    {
      act: 'jump',
      target: 'replica',
      says: `its date is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead' : 'behind'} from now on`,
    },
    () => new ProcessClock(replica.pid).moveTo(seconds),
    async () => {
      const [date] = await replica.client.time();
      const aheadS = Number(date) - Date.now() / 1_000;
      if (Math.abs(aheadS - seconds) > TOLERANCE_S) throw new Error(`its TIME is ${aheadS.toFixed(1)} s ahead`);
      return `its TIME is ${Math.round(aheadS)} s ahead of the machine's`;
    },
  );
}
