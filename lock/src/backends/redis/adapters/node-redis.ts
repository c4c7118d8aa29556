/**
 * node-redis 5 and 6 (`redis` or `@redis/client`): a client, a Sentinel client, or a cluster.
 *
 * @module
 */
import {
  type AnyListener,
  ClientClosedError,
  type RedisCommands,
  type RedisSubscriber,
  type RedisWriter,
  type SubscriberEvents,
} from '../client.ts';
import { KeptConnection } from './kept-connection.ts';

/** The members of a node-redis client that we use. */
export interface NodeRedisClient {
  readonly isOpen?: boolean;
  readonly options?: { readonly socket?: object };
  sendCommand(args: string[], options?: object): Promise<unknown>;
  duplicate(overrides?: object): NodeRedisSubscriber;
}

/** A client made with `createSentinel`. */
export interface NodeRedisSentinel {
  readonly isOpen?: boolean;
  sendCommand(isReadonly: boolean, args: string[], options?: object): Promise<unknown>;
  getSentinelNode(): unknown;
  duplicate(): NodeRedisSubscriber;
}

/** A client made with `createCluster`. */
export interface NodeRedisCluster {
  readonly isOpen?: boolean;
  sendCommand(firstKey: string | undefined, isReadonly: boolean, args: string[], options?: object): Promise<unknown>;
  readonly masters: readonly unknown[];
  nodeClient(node: never): unknown;
  duplicate(): NodeRedisSubscriber;
}

/** The members of the second connection that we use. */
export interface NodeRedisSubscriber {
  readonly isOpen?: boolean;
  unref?(): void;
  connect(): Promise<unknown>;
  destroy(): unknown;
  on(event: string, listener: AnyListener): unknown;
  subscribe(channel: string, listener: (message: string, channel: string) => void): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  /** On a cluster. */
  sSubscribe?(channel: string, listener: (message: string, channel: string) => void): Promise<unknown>;
  sUnsubscribe?(channel: string): Promise<unknown>;
}

/** The members of a connection for writes that we use; what `addCommand` takes depends on the kind of client. */
interface NodeRedisWriter {
  connect(): Promise<unknown>;
  destroy(): unknown;
  on(event: string, listener: AnyListener): unknown;
  unref?(): void;
  multi(): { addCommand(...args: unknown[]): unknown; execAsPipeline(): Promise<unknown[]> };
}

/** Between attempts to connect again, while the server is away. */
const RECONNECT_MS = { first: 50, most: 500 };

/** Replies as strings, whatever the client maps them to for its own program. */
const PLAIN = { typeMapping: {} };

/**
 * Hands in a node-redis client, which must be connected (`await client.connect()`). It stays yours: it is not closed and
 * not subscribed. Its own `keyPrefix` does not reach raw commands, so give the backend one instead.
 */
export function fromNodeRedis(client: NodeRedisClient | NodeRedisSentinel | NodeRedisCluster): RedisCommands {
  const given: { readonly sendCommand?: unknown } | undefined = client;
  // A client of ioredis has a `sendCommand`, too, which takes something else.
  if (typeof given?.sendCommand !== 'function' || 'status' in client) {
    throw new TypeError('fromNodeRedis needs a client of node-redis, such as `await createClient({ url }).connect()`.');
  }
  if ('masters' in client) return fromCluster(client);
  if ('getSentinelNode' in client) {
    return {
      send: (args) => rejectedIfClosed(client) ?? client.sendCommand(false, [...args], PLAIN),
      openSubscriber: (events) => listenOn(client.duplicate(), events, false),
      openWriter: () => writeOn(client, (args) => [false, args]),
    };
  }
  return {
    send: (args) => rejectedIfClosed(client) ?? client.sendCommand([...args], PLAIN),
    openSubscriber: (events) => listenInBackground(client, events),
    openWriter: () =>
      writeOn(client, (args) => [args], { socket: { ...client.options?.socket, reconnectStrategy: false } }),
  };
}

/** One that connects again is open. The message of a closed one may also be about a node that a cluster has just left. */
function rejectedIfClosed(client: { readonly isOpen?: boolean }): Promise<never> | undefined {
  return client.isOpen === false ? Promise.reject(new ClientClosedError('The client is closed')) : undefined;
}

function fromCluster(client: NodeRedisCluster): RedisCommands {
  return {
    cluster: true,
    send: (args, key) => rejectedIfClosed(client) ?? client.sendCommand(key, false, [...args], PLAIN),
    servers: () =>
      client.masters.map((master) => ({
        send: async (args) =>
          ((await client.nodeClient(master as never)) as NodeRedisClient).sendCommand([...args], PLAIN),
      })),
    sharded: true,
    openSubscriber: (events) => listenOnShards(client.duplicate(), events),
    openWriter: () => writeOn(client, (args, key) => [key, false, args]),
  };
}

/**
 * On a connection that keeps no process alive, and neither does its return: a client of node-redis that connects again by
 * itself waits with a timer that does.
 */
function listenInBackground(client: NodeRedisClient, events: SubscriberEvents): RedisSubscriber {
  const connection = client.duplicate({ socket: { ...client.options?.socket, reconnectStrategy: false } });
  connection.unref?.();
  let timer: NodeJS.Timeout | undefined;
  let times = 0;
  let isClosed = false;
  connection.on('ready', () => {
    times = 0;
  });
  connection.on('error', () => {
    if (isClosed || connection.isOpen === true || timer !== undefined) return;
    events.onDisconnected();
    const waitMs = Math.min(RECONNECT_MS.most, RECONNECT_MS.first * 2 ** Math.min(times++, 8));
    timer = setTimeout(() => {
      timer = undefined;
      connection.connect().catch(() => undefined); // its error is told above as well
    }, waitMs).unref();
  });
  const subscriber = listenOn(connection, events, true);
  return {
    ...subscriber,
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      subscriber.close();
    },
  };
}

/** A chain of commands of node-redis goes through one connection, or is rejected. */
function writeOn(
  client: { duplicate(overrides?: object): unknown },
  argumentsOf: (args: string[], key: string) => unknown[],
  endsWithItsConnection?: { readonly socket: object },
): RedisWriter {
  const kept = new KeptConnection(async (ended) => {
    const options = { commandOptions: PLAIN, disableOfflineQueue: true, ...endsWithItsConnection };
    const connection = client.duplicate(options) as NodeRedisWriter;
    // Who asks is told by its own request. A Sentinel client or a cluster connects again by itself.
    connection.on('error', () => endsWithItsConnection !== undefined && ended());
    await connection.connect();
    connection.unref?.();
    return { connection, close: () => destroy(connection) };
  });
  return {
    sendTogether: async (commands, key) => {
      const chain = (await kept.get()).multi();
      for (const args of commands) chain.addCommand(...argumentsOf([...args], key));
      return chain.execAsPipeline();
    },
    reconnect: () => kept.drop(),
    close: () => kept.close(),
  };
}

/** Depending on kind and state a client throws or rejects where it has no connection. */
function destroy(connection: { destroy(): unknown }): void {
  void Promise.resolve()
    .then(() => connection.destroy())
    .catch(() => undefined);
}

function listenOnShards(connection: NodeRedisSubscriber, events: SubscriberEvents): RedisSubscriber {
  const onMessage = (message: string, channel: string): void => events.onMessage(channel, message);
  return {
    ...listenOn(connection, events, false),
    shard: {
      subscribe: async (channel) => connection.sSubscribe?.(channel, onMessage),
      unsubscribe: async (channel) => connection.sUnsubscribe?.(channel),
    },
  };
}

function listenOn(connection: NodeRedisSubscriber, events: SubscriberEvents, reportsGaps: boolean): RedisSubscriber {
  // One function for all channels: to subscribe twice with the same one is to subscribe once.
  const onMessage = (message: string, channel: string): void => events.onMessage(channel, message);
  connection.on('error', () => undefined); // it reconnects by itself, and the client that was handed in reports, too
  if (reportsGaps) {
    connection.on('ready', () => events.onConnected());
    connection.on('reconnecting', () => events.onDisconnected());
  }
  connection.connect().then(
    () => {
      if (!reportsGaps) events.onConnected();
    },
    () => undefined,
  );
  return {
    reportsGaps,
    subscribe: (channel) => connection.subscribe(channel, onMessage),
    unsubscribe: (channel) => connection.unsubscribe(channel),
    close: () => destroy(connection),
  };
}
