/**
 * The second connection of a process, which only listens: to the inbox of this process always, and to the release
 * channel of a lock while its holder is of Redisson's layout.
 *
 * Messages may be lost. After every gap in listening, `onGap` is called once, so that all waiters look for themselves.
 *
 * @module
 */
import type { RedisCommands, RedisSubscriber } from './client.ts';
import { messageOf, translate } from './errors.ts';
import { PROOF, Proof } from './proof.ts';
import { Shards } from './shards.ts';

/** When to subscribe again on a connection that stands but refused it. */
const RETRY_MS = 1_000;

export interface SubscriptionEvents {
  onInbox(message: string): void;
  /** We listen now, and did not before. */
  onGap(): void;
}

export class Subscriptions {
  readonly #commands: RedisCommands;
  readonly #inbox: string;
  readonly #events: SubscriptionEvents;
  /** Who is called when something comes through a channel, the inbox aside. */
  readonly #watchers: Map<string, Set<() => void>> = new Map();
  #subscriber: RedisSubscriber | undefined;
  /** Counts subscribers, of which each may connect many times. */
  #opened = 0;
  /** Counts connections, so that an answer about an old one is not taken for one about the new. */
  #connection = 0;
  #listening = false;
  #closed = false;
  readonly #proof: Proof = new Proof();
  /** What is heard on the shards of a cluster besides. */
  readonly shards: Shards;

  constructor(commands: RedisCommands, inbox: string, events: SubscriptionEvents) {
    this.#commands = commands;
    this.#inbox = inbox;
    this.#events = events;
    this.shards = new Shards({ onInbox: (message) => events.onInbox(message), onDeaf: () => this.#reopen() });
  }

  /** `all`: every gap is noticed. `some`: messages come, but a gap may go by unnoticed. `none`: waiters must ask. */
  get hears(): 'all' | 'some' | 'none' {
    if (!this.#listening || this.#subscriber === undefined) return 'none';
    return this.#subscriber.reportsGaps ? 'all' : 'some';
  }

  /** Begins to listen, if a second connection can be had. Costs nothing when it has been called before. */
  open(): void {
    if (this.#subscriber !== undefined || this.#closed) return;
    // What one that was given up has still to tell, perhaps long after, is not about its successor.
    const opened = ++this.#opened;
    const ifCurrent = (tell: () => void): void => {
      if (opened === this.#opened) tell();
    };
    this.#subscriber = this.#commands.openSubscriber?.({
      onMessage: (channel, message) => ifCurrent(() => this.#take(channel, message)),
      onConnected: () => ifCurrent(() => this.#connected()),
      onDisconnected: () => ifCurrent(() => this.#disconnected()),
    });
  }

  /** Now and then sends a message the way that releases go. If it does not come, a new connection is opened. */
  prove(): void {
    if (!this.#listening) return;
    const connection = this.#connection;
    const send = (): Promise<unknown> => this.#commands.send(['PUBLISH', this.#inbox, PROOF]);
    this.#proof.seek(send, () => connection === this.#connection && this.#reopen());
  }

  /** Calls back when a message comes through the channel, and once when we begin to listen to it. */
  watch(channel: string, callback: () => void): () => void {
    const callbacks = this.#watchers.get(channel) ?? new Set();
    this.#watchers.set(channel, callbacks.add(callback));
    if (callbacks.size === 1 && this.#listening) {
      this.#subscribeToWatch(channel).then(
        () => this.#tell(channel),
        () => undefined, // asking now and then has to do
      );
    }
    return () => {
      if (!callbacks.delete(callback) || callbacks.size > 0 || this.#watchers.get(channel) !== callbacks) return;
      this.#watchers.delete(channel);
      this.#subscriber?.unsubscribe(channel).catch(() => undefined);
      this.#subscriber?.shard?.unsubscribe(channel).catch(() => undefined);
    };
  }

  close(): void {
    this.#closed = true;
    this.#disconnected();
    this.#watchers.clear();
    this.#subscriber?.close();
  }

  #reopen(): void {
    this.#disconnected();
    this.#subscriber?.close();
    this.#subscriber = undefined;
    this.open();
  }

  #disconnected(): void {
    this.#connection++;
    this.#listening = false;
    this.shards.disconnected();
  }

  #connected(): void {
    const connection = ++this.#connection;
    this.#listening = false;
    this.shards.connected(this.#subscriber?.shard);
    const watched = [...this.#watchers.keys()].map((channel) => this.#subscribeToWatch(channel));
    Promise.all([this.#subscribe(this.#inbox), ...watched]).then(
      () => {
        if (connection !== this.#connection) return;
        this.#listening = true;
        this.#proof.found();
        this.#events.onGap();
      },
      (error: unknown) => {
        if (translate(error, '').code === 'ACCESS_DENIED') warnOnce(error);
        // Where the connection was lost, the next one comes by itself; else the server may have been busy.
        setTimeout(() => connection === this.#connection && this.#connected(), RETRY_MS).unref();
      },
    );
  }

  #subscribe(channel: string): Promise<unknown> {
    return this.#subscriber?.subscribe(channel) ?? Promise.reject(new Error('There is no second connection.'));
  }

  /** Clients of Redisson's layout tell a release on the shard where the cluster has such channels, or to all nodes. */
  #subscribeToWatch(channel: string): Promise<unknown> {
    const onShard = this.#subscriber?.shard?.subscribe(channel).catch(() => undefined);
    return Promise.all([this.#subscribe(channel), onShard]);
  }

  #take(channel: string, message: string): void {
    if (this.shards.take(channel, message)) return;
    if (channel !== this.#inbox) {
      this.#tell(channel);
      return;
    }
    this.#proof.found();
    if (message !== PROOF) this.#events.onInbox(message);
  }

  #tell(channel: string): void {
    for (const callback of [...(this.#watchers.get(channel) ?? [])]) callback();
  }
}

let warned = false;

function warnOnce(error: unknown): void {
  if (warned) return;
  warned = true;
  process.emitWarning(
    `Holdfast cannot subscribe on Redis (${messageOf(error)}), so that waiters ask every 100 to 200 ms instead of being told. Does the ACL allow the channels &holdfast.inbox:* and &redisson_lock__channel:*?`,
    { type: 'HoldfastWarning', code: 'HOLDFAST_REDIS_POLLING' },
  );
}
