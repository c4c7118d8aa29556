/**
 * Operations that are asked for in one turn of the event loop travel in one script call. A single one goes out in the
 * same turn, too, so that it pays nothing for the company it might have had.
 *
 * @module
 */
import { OutcomeUnknownError, quote } from '../../core/errors.ts';
import type { RedisCommands } from './client.ts';
import { isNoScript, translate, translateReply } from './errors.ts';
import { hashTag } from './layout.ts';
import { type Operation, scriptFor } from './scripts.ts';

/** More at once would keep the server from its other clients for too long. */
const MOST_TOGETHER = 128;

/** One operation, and who waits for its reply. */
interface Item {
  readonly operation: Operation;
  readonly lockName: string;
  readonly key: string;
  readonly args: readonly string[];
  readonly resolve: (reply: string) => void;
  readonly reject: (error: unknown) => void;
}

export class Batch {
  readonly #commands: RedisCommands;
  /** What this process says about itself where an operation says nothing. */
  readonly #who: string;
  #items: Item[] = [];
  readonly #flush = (): void => {
    const items = this.#items;
    this.#items = [];
    for (const together of this.#commands.cluster === true ? bySlot(items) : chunks(items)) this.#send(together);
  };

  constructor(commands: RedisCommands, who: string) {
    this.#commands = commands;
    this.#who = who;
  }

  /** Rejects with a `LockError`. */
  run(operation: Operation, lockName: string, key: string, args: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      // After the microtasks of this turn: what the answers of one reply lead to goes out together again.
      if (this.#items.length === 0) process.nextTick(this.#flush);
      this.#items.push({ operation, lockName, key, args, resolve, reject });
    });
  }

  #send(items: readonly Item[]): void {
    const lostBefore = this.#commands.lostConnections?.();
    this.#call(items).then(
      (replies) => {
        const resent = this.#commands.lostConnections?.() !== lostBefore;
        for (const [index, item] of items.entries()) settle(item, replies[index], resent);
      },
      (error: unknown) => {
        for (const item of items) item.reject(translate(error, item.lockName));
      },
    );
  }

  async #call(items: readonly Item[]): Promise<readonly unknown[]> {
    const script = scriptFor(items);
    const key = items[0]?.key ?? '';
    let replies: unknown;
    try {
      replies = await this.#commands.send(this.#command('EVALSHA', script.sha, items), key);
    } catch (error) {
      if (!isNoScript(error)) throw error;
      // The server was restarted, or somebody has emptied its script cache: nothing was done yet.
      replies = await this.#commands.send(this.#command('EVAL', script.text, items), key);
    }
    return Array.isArray(replies) ? replies : [];
  }

  #command(verb: 'EVALSHA' | 'EVAL', script: string, items: readonly Item[]): string[] {
    const command = [verb, script, String(items.length)];
    for (const { key } of items) command.push(key);
    command.push(this.#who);
    for (const { operation, args } of items) command.push(operation, ...args);
    return command;
  }
}

function settle(item: Item, reply: unknown, resent: boolean): void {
  const { operation, lockName, key } = item;
  if (typeof reply !== 'string') {
    item.reject(
      new OutcomeUnknownError(`Redis gave no reply that we understand about the lock ${quote(lockName)}.`, {
        lockName,
      }),
    );
  } else if (reply.startsWith('error ')) {
    item.reject(translateReply(reply.slice('error '.length), lockName, key));
  } else if (resent && operation === 'release' && reply === 'not-held') {
    // The client may have sent it twice by itself, and this is the answer to the second: the first may have released.
    item.reject(
      new OutcomeUnknownError(`The connection to Redis was lost during the release of ${quote(lockName)}.`, {
        lockName,
      }),
    );
  } else {
    item.resolve(reply);
  }
}

function* chunks(items: readonly Item[]): Generator<readonly Item[]> {
  if (items.length <= MOST_TOGETHER) yield items;
  else for (let at = 0; at < items.length; at += MOST_TOGETHER) yield items.slice(at, at + MOST_TOGETHER);
}

/** On a cluster only keys with the same hash tag are sure to live together. */
function* bySlot(items: readonly Item[]): Generator<readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const tag = hashTag(item.key);
    const group = groups.get(tag);
    if (group === undefined) groups.set(tag, [item]);
    else group.push(item);
  }
  for (const group of groups.values()) yield* chunks(group);
}
