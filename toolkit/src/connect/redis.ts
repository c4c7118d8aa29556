/**
 * A Redis or Valkey server through ioredis, with settings under which a lock can trust it: a request that was cut off
 * is reported and not sent a second time, and nothing is queued for a server that is away, to run when nobody wants it
 * any more.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BackendUnavailableError, LockError } from 'holdfast';
import { fromIoredis, redisBackend } from 'holdfast/redis';
import { Redis } from 'ioredis';
import { type RedisAddress, redact } from './address.ts';
import type { Connection, ConnectOptions } from './connection.ts';

/** For a server that does not answer at all, as behind a firewall. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Between two tries to reach it, at first and at most. */
const RETRY_MS = { first: 50, most: 1_000 } as const;

export async function openRedis(address: RedisAddress, options: ConnectOptions): Promise<Connection> {
  const client = await connected(address, options);
  const backend = redisBackend(fromIoredis(client));
  return {
    description: address.description,
    backend,
    async close() {
      await backend.close();
      client.disconnect();
    },
  };
}

async function connected(address: RedisAddress, { patienceMs = 0, signal }: ConnectOptions): Promise<Redis> {
  const giveUpAt = performance.now() + patienceMs;
  for (let tries = 1; ; tries++) {
    const client = newClient(address);
    const failure = await firstFailure(client, signal);
    if (failure === undefined) return client;
    client.disconnect();
    const leftMs = giveUpAt - performance.now();
    if (isRefusal(failure)) throw refused(address, failure);
    if (leftMs <= 0 || signal?.aborted) throw unreachable(address, failure);
    await sleep(Math.min(pauseMs(tries), leftMs), undefined, signal === undefined ? {} : { signal }).catch(
      () => undefined,
    );
    if (signal?.aborted) throw unreachable(address, failure);
  }
}

export function newClient({ host, port, tls, username, password, database }: RedisAddress): Redis {
  return new Redis({
    host,
    port,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
    db: database,
    connectionName: 'holdfast',
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // A request in flight when the connection breaks is rejected and never sent again.
    maxRetriesPerRequest: 0,
    // A request while the server is away is rejected at once; the watchdog knows when to ask again.
    enableOfflineQueue: false,
    // It would ask INFO, which a user of locks need not be allowed to. A server that still loads says so by itself.
    enableReadyCheck: false,
    retryStrategy: pauseMs,
    // The primary that we were connected to has become a replica: look up its address anew.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
}

/** With jitter, so that the processes of a whole fleet do not come back in one instant. */
export function pauseMs(tries: number): number {
  return Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** Math.min(tries - 1, 10)) * (0.5 + Math.random() / 2);
}

/** Why the first connection failed; undefined if it stands. */
export function firstFailure(client: Redis, signal: AbortSignal | undefined): Promise<Error | undefined> {
  return new Promise((resolve) => {
    // It may accept connections and then say nothing, as a stopped process does.
    const silence = new Error(`no answer within ${CONNECT_TIMEOUT_MS} ms`);
    const timer = setTimeout(resolve, CONNECT_TIMEOUT_MS, silence);
    const settle = (failure?: Error): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      resolve(failure);
    };
    const giveUp = (): void => settle(new Error('given up'));
    signal?.addEventListener('abort', giveUp);
    // ioredis says what went wrong in an event, and rejects with less. The listener also stays for later: without one it
    // prints every lost connection.
    client.on('error', settle);
    client.connect().then(
      () =>
        // Ready means that the password was sent, and not that it was accepted. Who may not even PING is known there.
        client.ping().then(
          () => settle(),
          (error: Error) => settle(error.message.startsWith('NOPERM') ? undefined : error),
        ),
      (error: Error) => setImmediate(settle, error),
    );
  });
}

export function isRefusal(error: Error): boolean {
  return /^(WRONGPASS|NOAUTH)\b|invalid (username-)?password/i.test(error.message);
}

export function refused(address: RedisAddress, error: Error): LockError {
  return new LockError(
    'ACCESS_DENIED',
    `${address.description} refuses us: ${redact(error.message, address)}. Are the user and the password of the URL right?`,
    { cause: withoutCommand(error) },
  );
}

export function unreachable(address: RedisAddress, error: Error): BackendUnavailableError {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const reason = redact(error.message === '' ? code : error.message, address);
  return new BackendUnavailableError(
    `${address.description} cannot be reached: ${reason}. Is the server running, and are host and port right?`,
    { cause: withoutCommand(error) },
  );
}

/** ioredis puts the command that failed on its errors, and for AUTH that is the password. */
function withoutCommand(error: Error): Error {
  return Object.assign(new Error(error.message), { code: 'code' in error ? error.code : undefined });
}
