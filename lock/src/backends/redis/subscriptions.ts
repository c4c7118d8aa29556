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

/** When to subscribe again on a connection that stands but refused it. */
const RETRY_MS = 1_000;

/**
 * How often we send ourselves a message while somebody waits, and how long it may take. A subscription may stand and hear
 * nothing for ever: on a server that was cut off, or that another one has replaced.
 */
const PROOF_MS = { every: 2_000, within: 1_000 };

/** The message to ourselves. */
const PROOF = 'proof';

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
  /** Counts connections, so that an answer about an old one is not taken for one about the new. */
  #connection = 0;
  #listening = false;
  #closed = false;
  /** When we last knew that messages reach us, and whether a proof is under way. */
  #provenAt = Number.NEGATIVE_INFINITY;
  #proving = false;

  constructor(commands: RedisCommands, inbox: string, events: SubscriptionEvents) {
    this.#commands = commands;
    this.#inbox = inbox;
    this.#events = events;
  }

  /** `all`: every gap is noticed. `some`: messages come, but a gap may go by unnoticed. `none`: waiters must ask. */
  get hears(): 'all' | 'some' | 'none' {
    if (!this.#listening || this.#subscriber === undefined) return 'none';
    return this.#subscriber.reportsGaps ? 'all' : 'some';
  }

  /** Begins to listen, if a second connection can be had. Costs nothing when it has been called before. */
  open(): void {
    if (this.#subscriber !== undefined || this.#closed) return;
    this.#subscriber = this.#commands.openSubscriber?.({
      onMessage: (channel, message) => this.#take(channel, message),
      onConnected: () => this.#connected(),
      onDisconnected: () => this.#disconnected(),
    });
  }

  /** Now and then sends a message the way that releases go. If it does not come, a new connection is opened. */
  prove(): void {
    if (!this.#listening || this.#proving || performance.now() - this.#provenAt < PROOF_MS.every) return;
    this.#proving = true;
    const [connection, sentAt] = [this.#connection, performance.now()];
    const judge = (): void => {
      this.#proving = false;
      if (connection !== this.#connection || this.#provenAt >= sentAt) return;
      this.#disconnected();
      this.#subscriber?.close();
      this.#subscriber = undefined;
      this.open();
    };
    this.#commands.send(['PUBLISH', this.#inbox, PROOF]).then(
      () => setTimeout(judge, PROOF_MS.within).unref(),
      () => {
        this.#proving = false; // then it is the other connection that does not work
      },
    );
  }

  /** Calls back when a message comes through the channel, and once when we begin to listen to it. */
  watch(channel: string, callback: () => void): () => void {
    const callbacks = this.#watchers.get(channel) ?? new Set();
    this.#watchers.set(channel, callbacks.add(callback));
    if (callbacks.size === 1 && this.#listening) {
      this.#subscribe(channel).then(
        () => this.#tell(channel),
        () => undefined, // asking now and then has to do
      );
    }
    return () => {
      if (!callbacks.delete(callback) || callbacks.size > 0 || this.#watchers.get(channel) !== callbacks) return;
      this.#watchers.delete(channel);
      this.#subscriber?.unsubscribe(channel).catch(() => undefined);
    };
  }

  close(): void {
    this.#closed = true;
    this.#disconnected();
    this.#watchers.clear();
    this.#subscriber?.close();
  }

  #disconnected(): void {
    this.#connection++;
    this.#listening = false;
  }

  #connected(): void {
    const connection = ++this.#connection;
    this.#listening = false;
    const channels = [this.#inbox, ...this.#watchers.keys()];
    Promise.all(channels.map((channel) => this.#subscribe(channel))).then(
      () => {
        if (connection !== this.#connection) return;
        this.#listening = true;
        this.#provenAt = performance.now();
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

  #take(channel: string, message: string): void {
    if (channel !== this.#inbox) {
      this.#tell(channel);
      return;
    }
    this.#provenAt = performance.now();
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
