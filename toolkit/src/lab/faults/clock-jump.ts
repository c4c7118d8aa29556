import type { Scene } from '../scene.ts';
import type { Dated } from '../servers/dated.ts';
import type { Fault } from './fault.ts';
import { countVotes, setMinorityApart, someServers } from './independent.ts';
import { jumpAhead } from './move-date.ts';

/** The clocks of so many servers of a quorum jump. */
function clockJump({ servers, votes }: { readonly servers: number; readonly votes: number }): Fault {
  return {
    holderSurvives: true,
    ...(votes === 3 ? { prepare: setMinorityApart } : {}),
    async inject(scene) {
      await countVotes(scene, votes);
      scene.report(servers === 1 ? 'the clock of a server jumps' : `the clocks of ${servers} servers jump`);
      for (const server of someServers(scene, servers)) await jumpAhead(scene, server.dated);
      return undefined;
    },
  };
}

/** Of the one server that there is, whatever it is. */
export const clockOfOne: Fault = {
  holderSurvives: true,
  prepare: async (scene) => datedOf(scene).open?.(),
  async inject(scene) {
    scene.report('the clock of a server jumps');
    await jumpAhead(scene, datedOf(scene));
    return undefined;
  },
};

function datedOf({ cluster }: Scene): Dated {
  if (!cluster.dated) throw new Error('This fault needs a server of the lab whose date can be moved.');
  return cluster.dated;
}

/** Of one of the five that have voted for the holder. */
export const clockOfOneOfFive: Fault = clockJump({ servers: 1, votes: 5 });

/** Of one of the three that have voted for it, which are all that it reaches. */
export const clockOfOneOfThree: Fault = clockJump({ servers: 1, votes: 3 });

/** Of three of the five that have voted for it. */
export const clocksOfMajority: Fault = clockJump({ servers: 3, votes: 5 });
