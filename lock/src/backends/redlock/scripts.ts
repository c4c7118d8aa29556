/**
 * The scripts as each server gets them: one for each operation, which runs it for many locks in one call.
 *
 * @module
 */

import names from '../redis/scripts/names.lua';
import { type Script, script } from '../redis/scripts.ts';
import acquire from './scripts/acquire.lua';
import breakVote from './scripts/break.lua';
import inspect from './scripts/inspect.lua';
import owner from './scripts/owner.lua';
import quickAcquire from './scripts/quick-acquire.lua';
import quickRelease from './scripts/quick-release.lua';
import release from './scripts/release.lua';
import renew from './scripts/renew.lua';
import withdraw from './scripts/withdraw.lua';

export type Operation = 'acquire' | 'release' | 'withdraw' | 'renew' | 'break' | 'inspect';

export const scripts: Readonly<Record<Operation, Script>> = {
  acquire: script({ shared: 1, each: 1 }, [quickAcquire], [names, owner, acquire]),
  release: script({ shared: 0, each: 1 }, [quickRelease], [names, owner, release]),
  withdraw: script({ shared: 1, each: 1 }, [], [names, owner, withdraw]),
  renew: script({ shared: 1, each: 1 }, [], [names, owner, renew]),
  break: script({ shared: 1, each: 1 }, [], [names, owner, breakVote]),
  inspect: script({ shared: 0, each: 0 }, [], [inspect]),
};
