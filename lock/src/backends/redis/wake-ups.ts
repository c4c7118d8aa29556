/**
 * What makes a waiter of this process ask again: a message in our inbox, the release of a holder of another layout, the
 * end of the holder's TTL, a gap in listening, and where nothing tells it, time.
 *
 * @module
 */
import type { Granted, OwnerId } from '../../core/backend.ts';
import type { RedisCommands } from './client.ts';
import { readInboxMessage, type WaitingReply } from './replies.ts';
import { Subscriptions } from './subscriptions.ts';

/** How often a waiter asks where nothing tells it; each time somewhere between, so that waiters do not ask in step. */
const POLL_MS = { least: 100, most: 200 };

/** Where a waiter is told on a cluster with sharded channels, and how to send a message to ourselves that way. */
export interface ShardInbox {
  readonly channel: string;
  prove(): Promise<unknown>;
}

/** How often a waiter asks where a gap in listening may go by unnoticed. */
const UNSURE_POLL_MS = 1_000;

/** Over what time the waiters that look for themselves after a gap in listening are spread. */
const SPREAD_MS = 500;

interface Listener {
  readonly wake: (granted?: Granted) => void;
  /** Where the release of a holder of Redisson's layout is told, and what ends our watch of it. */
  watch: { readonly channel: string; readonly stop: () => void } | undefined;
  /** Its inbox on a shard, where it has one. */
  shard: string | undefined;
  /** Wakes it without news. The same function each time, so that it is woken once. */
  readonly look: () => void;
}

export class WakeUps {
  readonly #subscriptions: Subscriptions;
  readonly #listeners: Map<OwnerId, Listener> = new Map();
  readonly #onBroken: (owner: OwnerId) => void;

  /** `inbox` names the channel that only this process listens to; what is broken there is told to `onBroken`. */
  constructor(commands: RedisCommands, inbox: string, onBroken: (owner: OwnerId) => void) {
    this.#onBroken = onBroken;
    this.#subscriptions = new Subscriptions(commands, `holdfast.inbox:${inbox}`, {
      onInbox: (message) => this.#take(message),
      onGap: () => this.#wakeAll(),
    });
  }

  /** Begins to listen to the inbox. */
  open(): void {
    this.#subscriptions.open();
  }

  listen(owner: OwnerId, wake: (granted?: Granted) => void): () => void {
    const listener: Listener = { wake, watch: undefined, shard: undefined, look: () => wake() };
    this.#listeners.set(owner, listener);
    return () => {
      if (this.#listeners.get(owner) === listener) this.#listeners.delete(owner);
      this.#stop(listener);
    };
  }

  /**
   * Takes note of what the server told a waiter (undefined: that it does not wait), and gives when it asks again. `shard`:
   * where it is told of its turn, if not in the inbox that this process has for all locks.
   */
  told(owner: OwnerId, waiting: WaitingReply | undefined, shard?: ShardInbox): number {
    this.#watch(owner, waiting?.channel);
    if (waiting === undefined) return Number.POSITIVE_INFINITY;
    this.open();
    const heard = this.#hears(owner, shard);
    const endMs = waiting.remainingMs === undefined ? Number.POSITIVE_INFINITY : waiting.remainingMs + 1;
    // A holder by SET NX PX tells nobody when it is done.
    const hears = waiting.layout === 'string' ? 'none' : heard;
    if (hears === 'all') return endMs;
    if (hears === 'some') return Math.min(endMs, UNSURE_POLL_MS);
    return Math.min(endMs, POLL_MS.least + Math.random() * (POLL_MS.most - POLL_MS.least));
  }

  close(): void {
    for (const listener of this.#listeners.values()) this.#stop(listener);
    this.#listeners.clear();
    this.#subscriptions.close();
  }

  #hears(owner: OwnerId, shard: ShardInbox | undefined): 'all' | 'some' | 'none' {
    if (shard === undefined) {
      this.#subscriptions.prove();
      return this.#subscriptions.hears;
    }
    const listener = this.#listeners.get(owner);
    if (listener === undefined) return 'none';
    listener.shard = shard.channel;
    return this.#subscriptions.shards.hears(shard.channel, listener.look, shard.prove) ? 'some' : 'none';
  }

  #stop(listener: Listener): void {
    listener.watch?.stop();
    if (listener.shard !== undefined) this.#subscriptions.shards.leave(listener.shard, listener.look);
  }

  /** Listens to the release channel of a holder of Redisson's layout, for as long as there is one. */
  #watch(owner: OwnerId, channel: string | undefined): void {
    const listener = this.#listeners.get(owner);
    if (listener === undefined || listener.watch?.channel === channel) return;
    listener.watch?.stop();
    listener.watch =
      channel === undefined ? undefined : { channel, stop: this.#subscriptions.watch(channel, () => listener.wake()) };
  }

  #take(text: string): void {
    const message = readInboxMessage(text);
    if (message === undefined) return;
    if (message.what === 'broken') this.#onBroken(message.about);
    else this.#listeners.get(message.about)?.wake(message.what === 'granted' ? message.granted : undefined);
  }

  /** After a gap in listening every waiter looks for itself, but not all in the same moment. */
  #wakeAll(): void {
    for (const [owner, listener] of this.#listeners) {
      const wake = (): void => {
        if (this.#listeners.get(owner) === listener) listener.wake();
      };
      setTimeout(wake, Math.random() * SPREAD_MS).unref();
    }
  }
}
