/**
 * Valkey GLIDE 2 for Node, one server or a cluster.
 *
 * @module
 */
import type { RedisCommands, RedisSubscriber, SubscriberEvents } from '../client.ts';

/** The members of a GLIDE client that we use. */
export interface GlideCommands {
  customCommand(args: string[], options?: object): Promise<unknown>;
}

/** The members of the second client that we use. */
export interface GlideSubscriber {
  subscribe(channels: string[], timeoutMs: number): Promise<void>;
  unsubscribe(channels: string[], timeoutMs: number): Promise<void>;
  close(): void;
}

export interface GlideMessage {
  readonly channel: unknown;
  readonly message: unknown;
}

export interface GlideOptions {
  /**
   * Makes a second client for listening, since GLIDE cannot duplicate one. Without it waiters ask every 100 to 200 ms.
   *
   * @example
   * fromGlide(client, {
   *   openSubscriber: (callback) =>
   *     GlideClient.createClient({ ...config, pubsubSubscriptions: { channelsAndPatterns: {}, callback } }),
   * });
   */
  readonly openSubscriber?: (callback: (message: GlideMessage) => void) => Promise<GlideSubscriber>;
  /** Whether it is a `GlideClusterClient`. Default false. */
  readonly cluster?: boolean;
}

/** Replies as strings, whatever the client gives its own program: `Decoder.String`. */
const PLAIN = { decoder: 1 };

/** How long a subscription may take to be confirmed. */
const SUBSCRIBE_MS = 5_000;

/** Hands in a GLIDE client. It stays yours: it is not closed and not subscribed. */
export function fromGlide(client: GlideCommands, options: GlideOptions = {}): RedisCommands {
  const { openSubscriber, cluster = false } = options;
  const commands: RedisCommands = { cluster, send: (args) => client.customCommand([...args], PLAIN) };
  if (openSubscriber === undefined) return commands;
  return { ...commands, openSubscriber: (events) => listenOn(openSubscriber, events) };
}

function listenOn(open: NonNullable<GlideOptions['openSubscriber']>, events: SubscriberEvents): RedisSubscriber {
  let closed = false;
  const opened = open(({ channel, message }) => {
    if (!closed) events.onMessage(String(channel), String(message));
  });
  opened.then(
    (connection) => (closed ? connection.close() : events.onConnected()),
    () => undefined,
  );
  return {
    reportsGaps: false, // GLIDE subscribes again by itself after a reconnect, and does not say when
    subscribe: async (channel) => (await opened).subscribe([channel], SUBSCRIBE_MS),
    unsubscribe: async (channel) => (await opened).unsubscribe([channel], SUBSCRIBE_MS),
    close: () => {
      closed = true;
      opened.then(
        (connection) => connection.close(),
        () => undefined,
      );
    },
  };
}
