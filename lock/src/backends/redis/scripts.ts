/**
 * The scripts as the server gets them: one for each operation, which runs it for many locks in one call.
 *
 * A function that is not needed costs time all the same, since the server builds all functions of a script anew with
 * each call. So what is usual comes first, and ends the script before it reaches the functions of the unusual.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import acquire from './scripts/acquire.lua';
import breakLock from './scripts/break.lua';
import channel from './scripts/channel.lua';
import enter from './scripts/enter.lua';
import fullPass from './scripts/full-pass.lua';
import inspect from './scripts/inspect.lua';
import names from './scripts/names.lua';
import probe from './scripts/probe.lua';
import prove from './scripts/prove.lua';
import queue from './scripts/queue.lua';
import quickPass from './scripts/quick-pass.lua';
import quickRelease from './scripts/quick-release.lua';
import quickRenew from './scripts/quick-renew.lua';
import quickTake from './scripts/quick-take.lua';
import quickTransfer from './scripts/quick-transfer.lua';
import release from './scripts/release.lua';
import renew from './scripts/renew.lua';
import stay from './scripts/stay.lua';
import step from './scripts/step.lua';
import take from './scripts/take.lua';
import time from './scripts/time.lua';
import transfer from './scripts/transfer.lua';
import whole from './scripts/whole.lua';
import withdraw from './scripts/withdraw.lua';

export interface Script {
  readonly text: string;
  readonly sha: string;
}

/** How many arguments there are for all locks together, and how many for each. */
interface Arguments {
  readonly shared: number;
  readonly each: number;
}

/** The command for messages to others than ours. Sharded messages stay within the shard of a cluster; Redis 7 has them. */
type Publish = 'PUBLISH' | 'SPUBLISH';

/** `quick` ends the script where it could answer for all locks; else it leaves in `replies` what it could say of some. */
export function script(
  { shared, each }: Arguments,
  quick: readonly string[],
  full: readonly string[],
  publish: Publish = 'PUBLISH',
): Script {
  const first = quick.length > 0 ? quick : ['local replies = {}'];
  const constants = `local SHARED, WIDTH, PUBLISH = ${shared}, ${each}, '${publish}'`;
  const text = [constants, ...first, ...full, fullPass].join('\n');
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

export type Operation =
  | 'acquire'
  | 'enter'
  | 'stay'
  | 'release'
  | 'renew'
  | 'transfer'
  | 'withdraw'
  | 'inspect'
  | 'break'
  | 'probe'
  | 'prove';

/** `whole` stands last in every script that changes something; what only looks has no need of it. */
function scriptsWith(publish: Publish, whole: readonly string[]): Readonly<Record<Operation, Script>> {
  const make = (args: Arguments, quick: readonly string[], full: readonly string[]): Script =>
    script(args, quick, full, publish);
  const line = [channel, queue];
  return {
    acquire: make({ shared: 2, each: 1 }, [time, quickTake, quickPass], [names, take, ...line, acquire, ...whole]),
    enter: make({ shared: 3, each: 1 }, [time, quickTake, quickPass], [names, take, ...line, step, enter, ...whole]),
    stay: make({ shared: 3, each: 1 }, [], [time, names, take, ...line, step, stay, ...whole]),
    release: make({ shared: 0, each: 1 }, [quickRelease, quickPass], [time, names, take, ...line, release, ...whole]),
    renew: make({ shared: 1, each: 1 }, [quickRenew, quickPass], [time, names, take, ...line, renew, ...whole]),
    transfer: make(
      { shared: 3, each: 2 },
      [time, take, quickTransfer, quickPass],
      [names, ...line, step, transfer, ...whole],
    ),
    withdraw: make({ shared: 1, each: 1 }, [], [time, names, take, ...line, withdraw, ...whole]),
    inspect: make({ shared: 0, each: 0 }, [], [names, inspect]),
    break: make({ shared: 1, each: 1 }, [], [time, names, take, ...line, breakLock, ...whole]),
    probe: make({ shared: 0, each: 0 }, [], [names, channel, probe]),
    prove: make({ shared: 1, each: 0 }, [], [time, names, take, ...line, prove]),
  };
}

export const scripts: Readonly<Record<Operation, Script>> = scriptsWith('PUBLISH', []);

/** On a cluster one command more for each step, see `whole.lua`. */
export const clusterScripts: Readonly<Record<Operation, Script>> = scriptsWith('PUBLISH', [whole]);

/** On a cluster that has sharded channels. */
export const shardScripts: Readonly<Record<Operation, Script>> = scriptsWith('SPUBLISH', [whole]);
