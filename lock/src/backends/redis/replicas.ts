/**
 * Whether replicas have got what was written: `WAIT`, or `WAITAOF` where it has to be on disk.
 *
 * `WAIT` counts who has acknowledged what was written on its own connection, and holds that connection up meanwhile. So a
 * grant is made the usual way, and then renewed here, on a connection of our own: the renewal stands behind the grant in
 * the stream that replicas follow, so one acknowledgement is for both; and it finds out if this connection leads to
 * another server than the grant's. What is asked for while one `WAIT` is under way shares the next. So replicas that are
 * silent cost twice the time that they are given at most, however many locks there are.
 *
 * @module
 */
import { callAfterInput } from '../../core/clock.ts';
import { LockError, OutcomeUnknownError, quote } from '../../core/errors.ts';
import {
  canTravelTogether,
  isFromReplica,
  readReply,
  repliesOf,
  type ScriptVerb,
  scriptCall,
  type Task,
} from './batch.ts';
import type { RedisCommands, RedisWriter } from './client.ts';
import { isNoScript, isRedirection, messageOf, TooFewReplicasError, translate } from './errors.ts';
import { hashTag } from './layout.ts';
import { clusterScripts, scripts } from './scripts.ts';

/** How many renewals go in one call, so that the server is not kept from its other clients for too long. */
const TOGETHER = 64;

/**
 * How much longer than the replicas the server itself may take, before the connection counts as dead. All that comes later
 * would wait behind it for ever.
 */
const ANSWER_MS = 1_000;

export interface ReplicaRule {
  /** How many replicas must have it. */
  readonly replicas: number;
  /** Whether the primary and those replicas must have it on disk. */
  readonly fsync: boolean;
  /** How long they may take. */
  readonly acknowledgeMs: number;
}

/** A renewal, and who waits for its reply. */
interface Item {
  readonly task: Task;
  readonly resolve: (reply: string) => void;
  readonly reject: (error: LockError) => void;
}

export class Replicas {
  readonly #commands: RedisCommands;
  readonly #rule: ReplicaRule;
  /** What goes with the next `WAIT`; on a cluster for each slot. Where there is an entry, one is under way or due. */
  readonly #next: Map<string, Item[]> = new Map();
  #writer: RedisWriter | undefined;
  #closed = false;

  constructor(commands: RedisCommands, rule: ReplicaRule) {
    this.#commands = commands;
    this.#rule = rule;
  }

  /**
   * Renews, and resolves with the script's reply when enough replicas have acknowledged that. Rejects with a
   * `TooFewReplicasError` that says how many did, or with another `LockError` if nobody knows.
   */
  renew(task: Task): Promise<string> {
    return new Promise((resolve, reject) => {
      const slot = this.#commands.cluster === true ? hashTag(task.key) : '';
      const item: Item = { task, resolve, reject };
      const next = this.#next.get(slot);
      if (next !== undefined) {
        next.push(item);
        return;
      }
      this.#next.set(slot, [item]);
      process.nextTick(() => void this.#goOn(slot)); // after the microtasks of this turn, as in the batch
    });
  }

  /** Whether this server and this user can do it at all. Rejects with a `LockError`. */
  async probe(lockName: string, key: string): Promise<void> {
    try {
      await this.#open().sendTogether([this.#wait(0, 1)], key);
    } catch (error) {
      throw this.#translate(error, lockName);
    }
  }

  close(): void {
    this.#closed = true;
    this.#writer?.close();
  }

  /** One `WAIT` after the other, for as long as there is something to wait for. It never rejects. */
  async #goOn(slot: string): Promise<void> {
    for (;;) {
      const items = this.#next.get(slot) ?? [];
      if (items.length === 0) break;
      this.#next.set(slot, []);
      await this.#renewAll(items);
    }
    this.#next.delete(slot);
  }

  async #renewAll(items: readonly Item[]): Promise<void> {
    const calls = inCalls(items);
    try {
      const replies = await this.#answered(this.#send(calls, (items[0] as Item).task.key));
      const problem = this.#shortage(replies[calls.length]);
      let strayed = false;
      for (const [index, call] of calls.entries()) {
        const list = repliesOf(replies[index]);
        for (const [at, item] of call.entries()) {
          strayed ||= isFromReplica(list[at]) || list[at] === 'lost';
          answer(item, list[at], problem, this.#commands.cluster === true);
        }
      }
      // It may have followed a failover less quickly than the client of the program, or more.
      if (strayed) this.#writer?.reconnect();
    } catch (error) {
      this.#writer?.reconnect();
      for (const { task, reject } of items) reject(this.#translate(error, task.lockName));
    }
  }

  async #send(calls: readonly (readonly Item[])[], key: string): Promise<readonly unknown[]> {
    const send = (verb: ScriptVerb): Promise<readonly unknown[]> => {
      const { renew } = this.#commands.cluster === true ? clusterScripts : scripts;
      const script = renew[verb === 'eval' ? 'text' : 'sha'];
      const renewals = calls.map((call) => scriptCall(verb, script, call));
      return this.#open().sendTogether([...renewals, this.#wait(this.#rule.replicas, this.#rule.acknowledgeMs)], key);
    };
    try {
      return await send('evalsha');
    } catch (error) {
      if (isNoScript(error)) return send('eval');
      if (!isRedirection(error)) throw error;
      this.#writer?.reconnect(); // the slot has another node now
      return send('evalsha');
    }
  }

  /** The replies, or a rejection if none come. */
  #answered<Replies>(replies: Promise<Replies>): Promise<Replies> {
    const limitMs = this.#rule.acknowledgeMs + ANSWER_MS;
    return new Promise((resolve, reject) => {
      const silence = new Error(`there was no reply within ${limitMs} ms`);
      const cancel = callAfterInput(() => reject(silence), limitMs, { keepAlive: false });
      replies.then(resolve, reject).finally(cancel);
    });
  }

  #open(): RedisWriter {
    if (this.#closed || this.#commands.openWriter === undefined) throw new Error('The connection was closed.');
    this.#writer ??= this.#commands.openWriter();
    return this.#writer;
  }

  #wait(replicas: number, timeoutMs: number): readonly string[] {
    const [howMany, howLong] = [String(replicas), String(timeoutMs)];
    return this.#rule.fsync ? ['WAITAOF', '1', howMany, howLong] : ['WAIT', howMany, howLong];
  }

  /** What is wrong with the reply to `WAIT`, as an error about a lock, or undefined if enough have acknowledged. */
  #shortage(reply: unknown): ((lockName: string) => LockError) | undefined {
    const { replicas, acknowledgeMs, fsync } = this.#rule;
    const [local, acknowledged] = fsync && Array.isArray(reply) ? reply.map(Number) : [1, Number(reply)];
    if (acknowledged === undefined || !Number.isInteger(acknowledged)) {
      return (lockName) =>
        new OutcomeUnknownError(`Redis gave no reply that we understand to WAIT about ${quote(lockName)}.`, {
          lockName,
        });
    }
    if (acknowledged >= replicas && local === 1) return undefined;
    return (lockName) =>
      new TooFewReplicasError(lockName, { acknowledged, replicas, acknowledgeMs, onDisk: fsync, local: local === 1 });
  }

  #translate(error: unknown, lockName: string): LockError {
    const message = messageOf(error);
    const about = { lockName, cause: error };
    if (this.#rule.fsync && /unknown command/i.test(message)) {
      const remedy = 'Without fsync the replicas acknowledge what they have in memory.';
      return new LockError(
        'CONFIG',
        `Redis cannot say what is on disk for the lock ${quote(lockName)}: it lacks WAITAOF, which Redis 7.2 and newer have. ${remedy}`,
        about,
      );
    }
    if (/^(ERR )?WAITAOF cannot/.test(message)) {
      return new LockError('CONFIG', `Redis has nothing on disk for the lock ${quote(lockName)}: ${message}`, about);
    }
    return translate(error, lockName, this.#commands.cluster === true);
  }
}

/** What agrees in its TTL goes in one call. */
function inCalls(items: readonly Item[]): readonly (readonly Item[])[] {
  const calls: Item[][] = [];
  for (const item of items) {
    const call = calls.find((some) => some.length < TOGETHER && canTravelTogether((some[0] as Item).task, item.task));
    if (call === undefined) calls.push([item]);
    else call.push(item);
  }
  return calls;
}

function answer(
  { task, resolve, reject }: Item,
  reply: unknown,
  problem: ((lockName: string) => LockError) | undefined,
  onCluster: boolean,
): void {
  const said = readReply(task, reply, onCluster);
  if (typeof said !== 'string') reject(said);
  // What is not ours any more needs no replica to say so.
  else if (said === 'renewed' && problem !== undefined) reject(problem(task.lockName));
  else resolve(said);
}
