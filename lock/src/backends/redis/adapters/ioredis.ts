/**
 * ioredis 5 and 6, and iovalkey: a client, one that follows Sentinels, or a Cluster.
 *
 * @module
 */
import { listenTogether } from '../../../core/listeners.ts';
import {
  type AnyListener,
  ClientClosedError,
  NotSentError,
  type RedisCommands,
  type RedisSubscriber,
  type RedisWriter,
  type SubscriberEvents,
} from '../client.ts';
import { KeptConnection } from './kept-connection.ts';

/** The members of an ioredis client that we use. */
export interface IoredisClient {
  readonly status: string;
  readonly isCluster?: boolean;
  readonly options: { readonly keyPrefix?: string | undefined; readonly shardedSubscribers?: boolean | undefined };
  call(command: string, args: string[]): Promise<unknown>;
  on(event: string, listener: AnyListener): unknown;
  off(event: string, listener: AnyListener): unknown;
  disconnect(reconnect?: boolean): void;
  duplicate(...options: never[]): IoredisClient;
  /** A Cluster has nodes. */
  nodes?(role?: 'all' | 'master'): IoredisClient[];
  /** Sends commands to one node of a Cluster. */
  pipeline?(): IoredisPipeline;
}

interface IoredisPipeline {
  call(command: string, args: string[]): unknown;
  exec(): Promise<[error: Error | null, reply: unknown][] | null>;
}

/** The members of the second connection that a client has besides. */
interface IoredisSubscriber extends IoredisClient {
  connect(): Promise<void>;
  ssubscribe?(channel: string): Promise<unknown>;
  sunsubscribe?(channel: string): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  readonly stream?: { unref?(): void };
}

/** How often a client that hangs on a replica is made to connect anew. */
const RECONNECT_AGAIN_MS = 1_000;

/** How long the second connection waits before it tries again. */
const RECONNECT_MS = { first: 50, most: 500 };

/**
 * Hands in an ioredis client. It stays yours: it is not closed, not subscribed, and keeps its options. Whatever those
 * are the locks are safe; what they cost is in the documentation of this backend.
 */
export function fromIoredis(client: IoredisClient): RedisCommands {
  const given: Partial<IoredisClient> | undefined = client;
  if (typeof given?.call !== 'function' || typeof given.options !== 'object') {
    throw new TypeError('fromIoredis needs a client of ioredis or iovalkey, such as `new Redis(url)`.');
  }
  return client.isCluster === true ? new IoredisCluster(client) : new IoredisConnection(client);
}

class IoredisConnection implements RedisCommands {
  readonly keyPrefix: string;
  readonly #client: IoredisClient;
  #lost = 0;
  #connected = 0;
  #reconnectedAt = Number.NEGATIVE_INFINITY;
  readonly #stopListening: readonly (() => void)[];

  constructor(client: IoredisClient) {
    this.#client = client;
    this.keyPrefix = client.options.keyPrefix ?? '';
    this.#stopListening = [
      listenTogether(client, 'close', () => this.#lost++),
      listenTogether(client, 'ready', () => this.#connected++),
    ];
  }

  send(args: readonly string[]): Promise<unknown> {
    const [command = ''] = args;
    const rest = args.slice(1);
    if (this.#client.status === 'ready') return this.#client.call(command, rest);
    if (this.#client.status === 'end') return closed();
    const connected = this.#connected;
    return this.#client.call(command, rest).catch((error: unknown) => {
      // It waited for a connection that never came.
      throw this.#connected === connected ? new NotSentError(messageOf(error), { cause: error }) : error;
    });
  }

  lostConnections(): number {
    return this.#lost;
  }

  /** What ioredis does by itself where its option `reconnectOnError` says so. */
  reconnect(): void {
    const now = performance.now();
    if (this.#client.status !== 'ready' || now - this.#reconnectedAt < RECONNECT_AGAIN_MS) return;
    this.#reconnectedAt = now;
    this.#client.disconnect(true);
  }

  openSubscriber(events: SubscriberEvents): RedisSubscriber {
    const connection = this.#client.duplicate({
      ...SINGLE_CONNECTION,
      autoResubscribe: false, // we do it ourselves, and so know when it is done
    } as never) as IoredisSubscriber;
    const stop = reconnectInBackground(connection);
    return listenOn(connection, events, true, stop);
  }

  openWriter(): RedisWriter {
    return writeOn(
      () => this.#client.duplicate({ ...SINGLE_CONNECTION, sentinelRetryStrategy: null } as never) as IoredisSubscriber,
      (connection, commands) => Promise.all(commands.map(([command = '', ...rest]) => connection.call(command, rest))),
    );
  }

  close(): void {
    for (const stop of this.#stopListening) stop();
  }
}

class IoredisCluster implements RedisCommands {
  readonly cluster = true;
  readonly sharded: boolean;
  readonly keyPrefix: string;
  readonly #client: IoredisClient;
  /** How to stop listening to each of its nodes. */
  readonly #nodes: Map<IoredisClient, () => void> = new Map();
  readonly #stopListening: readonly (() => void)[];
  #lost = 0;
  readonly #onNode = (node: IoredisClient): void => {
    if (!this.#nodes.has(node))
      this.#nodes.set(
        node,
        listenTogether(node, 'close', () => this.#lost++),
      );
  };

  constructor(client: IoredisClient) {
    this.#client = client;
    this.sharded = client.options.shardedSubscribers !== undefined; // releases before 5.6 do not know it
    this.keyPrefix = client.options.keyPrefix ?? '';
    for (const node of client.nodes?.('all') ?? []) this.#onNode(node);
    this.#stopListening = [
      listenTogether(client, '+node', this.#onNode),
      // Its connection is closed after this, which is heard yet.
      listenTogether(client, '-node', (node: IoredisClient) => this.#nodes.delete(node)),
    ];
  }

  send(args: readonly string[]): Promise<unknown> {
    const [command = '', ...rest] = args;
    return this.#client.status === 'end' ? closed() : this.#client.call(command, rest);
  }

  lostConnections(): number {
    return this.#lost;
  }

  servers(): readonly Pick<RedisCommands, 'send'>[] {
    const nodes = this.#client.nodes?.('master') ?? [];
    return nodes.map((node) => ({ send: ([command = '', ...rest]) => node.call(command, rest) }));
  }

  openSubscriber(events: SubscriberEvents): RedisSubscriber {
    const connection = this.#client.duplicate([] as never, LISTENING_CLUSTER as never) as IoredisSubscriber;
    connection.on('smessage', (channel: string, message: string) => events.onMessage(channel, message));
    return {
      // A Cluster moves its subscriptions from node to node by itself, and does not say when.
      ...listenOn(connection, events, false),
      shard: {
        subscribe: async (channel) => connection.ssubscribe?.(channel),
        unsubscribe: async (channel) => connection.sunsubscribe?.(channel),
      },
    };
  }

  openWriter(): RedisWriter {
    return writeOn(
      () => this.#client.duplicate([] as never, { lazyConnect: true } as never) as IoredisSubscriber,
      async (connection, commands) => {
        const pipeline = connection.pipeline?.();
        for (const [command = '', ...rest] of commands) pipeline?.call(command, rest);
        return ((await pipeline?.exec()) ?? []).map(([error, reply]) => {
          if (error !== null) throw error;
          return reply;
        });
      },
    );
  }

  close(): void {
    for (const stop of [...this.#stopListening, ...this.#nodes.values()]) stop();
  }
}

/** A client that ends with its first connection, and sends nothing again. */
const SINGLE_CONNECTION = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: null,
  commandTimeout: undefined,
  enableAutoPipelining: false,
  // A timer of the client would keep the process alive for as long as the server is away; ours does not.
  retryStrategy: (): null => null,
};

/** It would put its prefix before the names of sharded channels, which are made with it already. */
const LISTENING_CLUSTER = { lazyConnect: true, shardedSubscribers: true, keyPrefix: '' };

/** Connects again after each end, with a timer that keeps no process alive, until the returned function is called. */
function reconnectInBackground(connection: IoredisSubscriber): () => void {
  let times = 0;
  let timer: NodeJS.Timeout | undefined;
  connection.on('ready', () => {
    times = 0;
  });
  const onEnd = (): void => {
    const waitMs = Math.min(RECONNECT_MS.most, RECONNECT_MS.first * 2 ** Math.min(times++, 8));
    timer = setTimeout(() => connection.connect().catch(() => undefined), waitMs).unref();
  };
  connection.on('end', onEnd);
  return () => {
    connection.off('end', onEnd);
    clearTimeout(timer);
  };
}

function listenOn(
  connection: IoredisSubscriber,
  events: SubscriberEvents,
  reportsGaps: boolean,
  beforeClose: () => void = () => undefined,
): RedisSubscriber {
  connection.on('error', () => undefined); // it reconnects by itself, and the client that was handed in reports, too
  connection.on('connect', () => connection.stream?.unref?.()); // listening is no reason for a process to live on
  connection.on('ready', () => events.onConnected());
  connection.on('close', () => events.onDisconnected());
  connection.on('message', (channel: string, message: string) => events.onMessage(channel, message));
  connection.connect().catch(() => undefined);
  return {
    reportsGaps,
    subscribe: (channel) => connection.subscribe(channel),
    unsubscribe: (channel) => connection.unsubscribe(channel),
    close: () => {
      beforeClose();
      connection.disconnect();
    },
  };
}

function writeOn(
  open: () => IoredisSubscriber,
  send: (connection: IoredisSubscriber, commands: readonly (readonly string[])[]) => Promise<readonly unknown[]>,
): RedisWriter {
  const kept = new KeptConnection(async (ended) => {
    const connection = open();
    connection.on('error', () => undefined); // who asks is told by its own request
    connection.on('connect', () => connection.stream?.unref?.());
    connection.on('end', ended);
    await connection.connect();
    return { connection, close: () => connection.disconnect() };
  });
  return {
    sendTogether: async (commands) => send(await kept.get(), commands),
    reconnect: () => kept.drop(),
    close: () => kept.close(),
  };
}

/** ioredis says the same of a connection that has just been lost, so its state is asked and not its message. */
function closed(): Promise<never> {
  return Promise.reject(new ClientClosedError('Connection is closed.'));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
