/**
 * What we need of a Redis client. `fromIoredis`, `fromNodeRedis` and `fromGlide` make one of the client that a program
 * already has; a fake for a test is `{ send: async (args) => … }`.
 *
 * @module
 */

/** A connection, or what looks like one: a pool, a Sentinel group, a cluster. */
export interface RedisCommands {
  /**
   * Sends one command and gives its reply: strings, numbers, null, and arrays of them. `key` is the key that decides
   * where a cluster sends it. Rejects with the client's own error; with a `NotSentError` if the command never left, and with
   * a `ClientClosedError` if none will: then nobody waits for the client to come back.
   */
  send(args: readonly string[], key?: string): Promise<unknown>;
  /** Whether different keys may live on different servers, so that only keys of one slot can travel together. */
  readonly cluster?: boolean;
  /** What the client puts before every key by itself. */
  readonly keyPrefix?: string;
  /**
   * How many connections have been lost so far. A client that resends by itself after a loss makes the server do a
   * command twice without telling; whoever sees this number grow between request and reply knows.
   */
  lostConnections?(): number;
  /**
   * Opens a second connection that only listens. Without it waiters ask instead of being told. The client that was
   * handed in is not touched.
   */
  openSubscriber?(events: SubscriberEvents): RedisSubscriber;
  /**
   * Opens a connection of our own for writes that replicas are to acknowledge: `WAIT` counts only what was written on its
   * own connection, and holds that connection up meanwhile. Without it the option `replicas` cannot be had.
   */
  openWriter?(): RedisWriter;
  /**
   * Whether the second connection can listen to sharded channels, as a client of a cluster can. Then, on Redis 7, messages
   * stay within the shard of their lock.
   */
  readonly sharded?: boolean;
  /** For commands without a key: each server that has keys. Without it there is one, behind `send`. */
  servers?(): readonly Pick<RedisCommands, 'send'>[];
  /**
   * Called when the server answers that it is a replica: after a failover the connection may hang on the old primary for
   * ever, and a new one finds the new primary. Does nothing when it was called a moment ago.
   */
  reconnect?(): void;
  /** Takes back what the adapter has attached to the client. */
  close?(): void;
}

export interface SubscriberEvents {
  onMessage(channel: string, message: string): void;
  /** The connection is up, for the first time or again. Earlier subscriptions may be gone. */
  onConnected(): void;
  /** The connection is down: messages are being missed. */
  onDisconnected(): void;
}

/** A connection that listens. It reconnects by itself and never throws. */
export interface RedisSubscriber {
  /** Whether `onConnected` is called after every reconnect. Where it is not, waiters ask now and then to be safe. */
  readonly reportsGaps: boolean;
  /** Resolves when the server has confirmed it. Subscribing again to the same channel changes nothing. */
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  /** The same for channels of a shard, on the node that has the slot of the channel's name, also after it has moved. */
  readonly shard?: {
    subscribe(channel: string): Promise<unknown>;
    unsubscribe(channel: string): Promise<unknown>;
  };
  close(): void;
}

/** A connection for writes. It connects when it is needed, and does nothing twice on two connections. */
export interface RedisWriter {
  /**
   * Sends commands one right after the other on one connection, and gives their replies in order. Rejects with the first
   * error reply, and if the connection was lost before the last reply: then nobody knows what was done. `key` decides to
   * which node of a cluster they go.
   */
  sendTogether(commands: readonly (readonly string[])[], key: string): Promise<readonly unknown[]>;
  /** Gives the connection up: the next call goes to where writes go then. */
  reconnect(): void;
  close(): void;
}

/** The command certainly never reached a server: there was no connection. */
export class NotSentError extends Error {
  override readonly name: string = 'NotSentError';
}

/** Nor will any other: the program has closed the client, or has never connected it. */
export class ClientClosedError extends NotSentError {
  override readonly name = 'ClientClosedError';
}

/** A listener as the clients' own types have it. */
// biome-ignore lint/suspicious/noExplicitAny: with any other type their event methods would not fit
export type AnyListener = (...args: any[]) => void;
