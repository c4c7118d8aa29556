/**
 * Operations of one kind that are asked for in one turn of the event loop travel in one script call. A single one goes
 * out in the same turn, too, so that it pays nothing for the company it might have had.
 *
 * @module
 */
import { type LockError, OutcomeUnknownError, quote } from '../../core/errors.ts';
import type { RedisCommands } from './client.ts';
import { isNoScript, translate, translateReply } from './errors.ts';
import { hashTag } from './layout.ts';
import type { Operation, Script } from './scripts.ts';

/**
 * How many travel in one call. A large batch goes in several calls, so that the server works on one part while we write
 * the next and read the last; more at once would also keep the server from its other clients for too long.
 */
const TOGETHER = { least: 16, most: 64, parts: 4 };

/** What is to be done to one lock. */
export interface Task<Name extends string = Operation> {
  readonly operation: Name;
  readonly lockName: string;
  readonly key: string;
  /** Arguments that many tasks have in common: they travel once for all that agree in them. */
  readonly shared: readonly string[];
  readonly own: readonly string[];
}

/** Is told a task's reply, or why there is none. */
export type Tell = (reply: string | LockError) => void;

/** A task, and who waits for its reply. */
interface Item {
  readonly task: Task<string>;
  readonly tell: Tell;
}

export class Batch<Name extends string = Operation> {
  readonly #commands: RedisCommands;
  readonly #scripts: Readonly<Record<string, Script>>;
  /** What goes out at the end of this turn: in each group what can travel together. */
  #groups: Item[][] = [];
  readonly #flush = (): void => {
    const groups = this.#groups;
    this.#groups = [];
    for (const group of groups) this.#split(group);
  };

  constructor(commands: RedisCommands, known: Readonly<Record<string, Script>>) {
    this.#commands = commands;
    this.#scripts = known;
  }

  /** Rejects with a `LockError`. */
  run(task: Task<Name>): Promise<string> {
    return new Promise((resolve, reject) => {
      this.ask(task, (reply) => (typeof reply === 'string' ? resolve(reply) : reject(reply)));
    });
  }

  /** The same for who asks many servers at once, and has no use for a promise of each. Tells in a later turn. */
  ask(task: Task<Name>, tell: Tell): void {
    const item: Item = { task, tell };
    for (const group of this.#groups) {
      if (!canTravelTogether((group[0] as Item).task, task)) continue;
      group.push(item);
      return;
    }
    // After the microtasks of this turn: what the answers of one reply lead to goes out together again.
    if (this.#groups.length === 0) atEndOfTurn(this.#flush);
    this.#groups.push([item]);
  }

  #split(group: readonly Item[]): void {
    for (const items of this.#commands.cluster === true ? bySlot(group) : [group]) {
      const size = Math.min(TOGETHER.most, Math.max(TOGETHER.least, Math.ceil(items.length / TOGETHER.parts)));
      if (items.length <= size) this.#send(items);
      else for (let at = 0; at < items.length; at += size) this.#send(items.slice(at, at + size));
    }
  }

  #send(items: readonly Item[]): void {
    const lostBefore = this.#commands.lostConnections?.();
    const onCluster = this.#commands.cluster === true;
    const onReplies = (replies: unknown): void => {
      const resent = this.#commands.lostConnections?.() !== lostBefore;
      const list = repliesOf(replies);
      if (list.some(isFromReplica)) this.#commands.reconnect?.();
      for (let at = 0; at < items.length; at++) settle(items[at] as Item, list[at], resent, onCluster);
    };
    const onError = (error: unknown): void => {
      for (const { task, tell } of items) tell(translate(error, task.lockName, onCluster));
    };
    const { sha, text } = this.#scripts[(items[0] as Item).task.operation] as Script;
    this.#call('evalsha', sha, items).then(onReplies, (error: unknown) => {
      if (!isNoScript(error)) onError(error);
      // The server was restarted, or somebody has emptied its script cache: nothing was done yet.
      else this.#call('eval', text, items).then(onReplies, onError);
    });
  }

  /** Rejects, and never throws, since nobody could catch it: a function that was handed in may do anything. */
  #call(verb: ScriptVerb, script: string, items: readonly Item[]): Promise<unknown> {
    const command = scriptCall(verb, script, items);
    try {
      return Promise.resolve(this.#commands.send(command, command[3]));
    } catch (error) {
      return Promise.reject(error);
    }
  }
}

/** One call of `nextTick` for all batches, since a quorum has one for each of its servers. */
let due: (() => void)[] = [];

function atEndOfTurn(flush: () => void): void {
  if (due.push(flush) === 1) process.nextTick(flushAll);
}

function flushAll(): void {
  const flushes = due;
  due = [];
  for (const flush of flushes) flush();
}

export type ScriptVerb = 'evalsha' | 'eval';

/** The command that does all these tasks, which must agree in their operation and in what they share. */
export function scriptCall(
  verb: ScriptVerb,
  script: string,
  items: readonly { readonly task: Task<string> }[],
): string[] {
  const command = [verb, script, String(items.length)];
  for (const { task } of items) command.push(task.key);
  for (const arg of items[0]?.task.shared ?? []) command.push(arg);
  for (const { task } of items) for (const arg of task.own) command.push(arg);
  return command;
}

/** What a call says about each of its tasks: about a single one without a list around it. */
export function repliesOf(reply: unknown): readonly unknown[] {
  return Array.isArray(reply) ? reply : [reply];
}

/** What the script says about one task. */
export function readReply({ lockName, key }: Task<string>, reply: unknown, onCluster: boolean): string | LockError {
  if (typeof reply !== 'string') {
    const problem = `Redis gave no reply that we understand about the lock ${quote(lockName)}.`;
    return new OutcomeUnknownError(problem, { lockName });
  }
  if (reply.startsWith('error ')) return translateReply(reply.slice('error '.length), lockName, key, onCluster);
  return reply;
}

export function isFromReplica(reply: unknown): boolean {
  return typeof reply === 'string' && reply.startsWith('error READONLY');
}

export function canTravelTogether(one: Task<string>, other: Task<string>): boolean {
  if (one.operation !== other.operation) return false;
  for (let at = 0; at < one.shared.length; at++) if (one.shared[at] !== other.shared[at]) return false;
  return true;
}

function settle({ task, tell }: Item, reply: unknown, resent: boolean, onCluster: boolean): void {
  if (resent && task.operation === 'release' && reply === 'not-held') {
    // The client may have sent it twice by itself, and this is the answer to the second: the first may have released.
    const { lockName } = task;
    const problem = `The connection to Redis was lost during the release of ${quote(lockName)}.`;
    tell(new OutcomeUnknownError(problem, { lockName }));
    return;
  }
  tell(readReply(task, reply, onCluster));
}

/** On a cluster only keys with the same hash tag are sure to live together. */
function bySlot(items: readonly Item[]): Iterable<readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const tag = hashTag(item.task.key);
    const group = groups.get(tag);
    if (group === undefined) groups.set(tag, [item]);
    else group.push(item);
  }
  return groups.values();
}
