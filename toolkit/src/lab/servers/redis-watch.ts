import { Redis } from 'ioredis';
import type { HistoryWriter } from '../history.ts';
import { RECONNECT_MS, type RedisServer } from './redis.ts';

/**
 * Writes into the history what a server does with keys: set, renewed, deleted, expired. It is told by the server itself,
 * so it holds for every layout that a subject may have; a line stands a moment after what it tells of.
 *
 * Gives a function that ends the watch.
 */
export async function watchKeys(server: RedisServer, history: HistoryWriter): Promise<() => void> {
  const client = new Redis({
    host: '127.0.0.1',
    port: server.port,
    lazyConnect: true,
    retryStrategy: () => RECONNECT_MS,
  });
  client.on('error', () => {});
  client.on('pmessage', (_pattern: string, channel: string, key: string) => {
    history.write({ f: 'server', type: 'event', event: channel.slice(channel.indexOf(':') + 1), key }, server.name);
  });
  await client.connect();
  await client.psubscribe('__keyevent@*__:*');
  return () => client.disconnect();
}
