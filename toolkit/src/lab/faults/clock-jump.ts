import { inflict, type Scene } from '../scene.ts';
import type { RedisServer } from '../servers/redis.ts';
import type { Fault } from './fault.ts';
import { countVotes, setMinorityApart, someServers } from './independent.ts';
import { ProcessClock } from './process-clock.ts';

/** What reading a clock over a connection, and rounding to seconds, may cost. */
const TOLERANCE_S = 2;

/** The clock of so many servers jumps ahead by two TTLs, as when it is set by hand, or by a time service that found it wrong. */
function clockJump({ servers, votes }: { readonly servers: number; readonly votes: number | undefined }): Fault {
  return {
    holderSurvives: true,
    ...(votes === 3 ? { prepare: setMinorityApart } : {}),
    async inject(scene) {
      if (votes !== undefined) await countVotes(scene, votes);
      scene.report(servers === 1 ? 'the clock of a server jumps' : `the clocks of ${servers} servers jump`);
      for (const server of someServers(scene, servers)) await jump(scene, server);
      return undefined;
    },
  };
}

async function jump(scene: Scene, server: RedisServer): Promise<void> {
  const aheadS = Math.ceil((2 * scene.timing.ttlMs) / 1_000);
  await inflict(
    scene,
    { act: 'jump', target: server.name, says: `its date is ${aheadS} s ahead from now on` },
    () => new ProcessClock(server.pid).moveTo(aheadS),
    async () => {
      const [seconds] = await server.client.time();
      const isAheadS = Number(seconds) - Date.now() / 1_000;
      if (Math.abs(isAheadS - aheadS) > TOLERANCE_S) throw new Error(`its TIME is ${isAheadS.toFixed(1)} s ahead`);
      return `its TIME is ${Math.round(isAheadS)} s ahead of the machine's`;
    },
  );
}

/** Of the one server that there is. */
export const clockOfOne: Fault = clockJump({ servers: 1, votes: undefined });

/** Of one of the five that have voted for the holder. */
export const clockOfOneOfFive: Fault = clockJump({ servers: 1, votes: 5 });

/** Of one of the three that have voted for it, which are all that it reaches. */
export const clockOfOneOfThree: Fault = clockJump({ servers: 1, votes: 3 });

/** Of three of the five that have voted for it. */
export const clocksOfMajority: Fault = clockJump({ servers: 3, votes: 5 });
