import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisServer } from '../servers/redis.ts';
import type { Fault } from './fault.ts';
import { countVotes, killServer, setMinorityApart, someServers, startEmpty } from './independent.ts';

/** One of the three servers that voted for A is killed, and is there again at once, empty. */
export const restartOfThree: Fault = {
  holderSurvives: true,
  prepare: setMinorityApart,
  async inject(scene) {
    await countVotes(scene, 3);
    const [server] = someServers(scene, 1) as [RedisServer];
    scene.report('a server restarts empty');
    await killServer(scene, server);
    await startEmpty(scene, server);
    return undefined;
  },
};

/** The same, and it stays away for a TTL: all that it has promised is over then. */
export const lateRestartOfThree: Fault = {
  holderSurvives: true,
  prepare: setMinorityApart,
  async inject(scene) {
    await countVotes(scene, 3);
    const [server] = someServers(scene, 1) as [RedisServer];
    scene.report('a server is away for a TTL');
    await killServer(scene, server);
    const back = sleep(scene.timing.ttlMs, undefined, { signal: scene.signal }).then(() => startEmpty(scene, server));
    back.catch(() => undefined); // it is awaited below, and may fail before
    return () => back;
  },
};

/** All five voted for A. Three are restarted, empty, one after the other, with a renewal in between. */
export const restartInTurn: Fault = {
  holderSurvives: true,
  async inject(scene) {
    await countVotes(scene, 5);
    scene.report('servers restart empty in turn');
    for (const server of someServers(scene, 3)) {
      await killServer(scene, server);
      await startEmpty(scene, server);
      await sleep(0.6 * scene.timing.ttlMs, undefined, { signal: scene.signal });
    }
    return undefined;
  },
};
