/**
 * The scripts as the server gets them. What travels together is one script: the functions that it needs, and the loop
 * that runs them. Operations of one kind have a script of their own, since a call that does one small thing should not
 * build the functions of all others; a mixed batch has the one with all.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import acquire from './scripts/acquire.lua';
import breakLock from './scripts/break.lua';
import dispatch from './scripts/dispatch.lua';
import grant from './scripts/grant.lua';
import inspect from './scripts/inspect.lua';
import names from './scripts/names.lua';
import probe from './scripts/probe.lua';
import queue from './scripts/queue.lua';
import release from './scripts/release.lua';
import renew from './scripts/renew.lua';
import step from './scripts/step.lua';
import transfer from './scripts/transfer.lua';
import withdraw from './scripts/withdraw.lua';

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
  | 'probe';

export interface Script {
  readonly text: string;
  readonly sha: string;
}

function compose(...parts: readonly string[]): Script {
  const text = [names, ...parts, dispatch].join('\n');
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

const stepping = compose(grant, queue, step);

const scripts: Readonly<Record<Operation, Script>> = {
  acquire: compose(grant, queue, acquire),
  enter: stepping,
  stay: stepping,
  release: compose(grant, queue, release),
  renew: compose(renew),
  transfer: compose(grant, queue, step, transfer),
  withdraw: compose(grant, queue, withdraw),
  inspect: compose(grant, inspect),
  break: compose(grant, queue, breakLock),
  probe: compose(probe),
};

const mixed = compose(grant, queue, acquire, step, release, renew, transfer, withdraw, inspect, breakLock, probe);

/** The script that can do all of these operations. */
export function scriptFor(items: readonly { readonly operation: Operation }[]): Script {
  const first = scripts[items[0]?.operation ?? 'renew'];
  return items.every(({ operation }) => scripts[operation] === first) ? first : mixed;
}
