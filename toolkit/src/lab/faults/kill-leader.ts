import { setTimeout as sleep } from 'node:timers/promises';
import { killLeading, leaderOf } from './ensemble.ts';
import type { Fault } from './fault.ts';
import { killHolder } from './kill-holder.ts';

/** `kill -9` of the member that leads. The two that are left elect another. */
export const killLeader: Fault = {
  holderSurvives: true,
  async inject(scene) {
    const leader = await leaderOf(scene);
    scene.report('killing the leader');
    await killLeading(scene, leader, 'kill -9 of the leader');
    return undefined;
  },
};

/** How much of the TTL passes before the leader dies as well. */
const PART_OF_TTL = 0.6;

/** First the holder, and the leader when most of the holder's time is over: its successor must know what is left of it. */
export const killHolderThenLeader: Fault = {
  holderSurvives: false,
  async inject(scene) {
    await killHolder.inject(scene);
    scene.report('the TTL runs');
    await sleep(PART_OF_TTL * scene.timing.ttlMs, undefined, { signal: scene.signal });
    const leader = await leaderOf(scene);
    scene.report('killing the leader');
    await killLeading(scene, leader, `kill -9 of the leader, after ${PART_OF_TTL} of the TTL`);
    return undefined;
  },
};
