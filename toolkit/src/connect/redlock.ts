/**
 * A majority of independent Redis or Valkey servers, each through a client as for one. Those that are away are connected
 * when they come back.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fromIoredis } from 'holdfast/redis';
import { redlockBackend } from 'holdfast/redlock';
import type { Redis } from 'ioredis';
import type { RedisAddress, RedlockAddress } from './address.ts';
import type { Connection, ConnectOptions } from './connection.ts';
import { firstFailure, isRefusal, newClient, pauseMs, refused, unreachable } from './redis.ts';

export async function openRedlock(address: RedlockAddress, options: ConnectOptions): Promise<Connection> {
  const clients = await connected(address, options);
  const backend = redlockBackend(clients.map(fromIoredis));
  return {
    description: address.description,
    backend,
    async close() {
      await backend.close();
      disconnect(clients);
    },
  };
}

/** The clients of all servers, when a majority has answered. */
async function connected({ servers }: RedlockAddress, { patienceMs = 0, signal }: ConnectOptions): Promise<Redis[]> {
  const giveUpAt = performance.now() + patienceMs;
  for (let tries = 1; ; tries++) {
    const clients = servers.map(newClient);
    const failure = await whyNoMajority(clients, servers, signal);
    if (failure === undefined) return clients;
    disconnect(clients);
    const leftMs = giveUpAt - performance.now();
    if (isRefusal(failure.error)) throw refused(failure.server, failure.error);
    if (leftMs <= 0 || signal?.aborted) throw unreachable(failure.server, failure.error);
    await sleep(Math.min(pauseMs(tries), leftMs), undefined, signal === undefined ? {} : { signal }).catch(
      () => undefined,
    );
    if (signal?.aborted) throw unreachable(failure.server, failure.error);
  }
}

interface Failure {
  readonly server: RedisAddress;
  readonly error: Error;
}

/** Undefined as soon as a majority answers; else the failure that decided, a refusal before others. */
function whyNoMajority(
  clients: readonly Redis[],
  servers: readonly RedisAddress[],
  signal: AbortSignal | undefined,
): Promise<Failure | undefined> {
  const needed = Math.floor(servers.length / 2) + 1;
  return new Promise((resolve) => {
    let up = 0;
    const failures: Failure[] = [];
    for (const [at, client] of clients.entries()) {
      void firstFailure(client, signal).then((error) => {
        if (error === undefined) up++;
        else failures.push({ server: servers[at] as RedisAddress, error });
        if (up >= needed) resolve(undefined);
        else if (failures.length > servers.length - needed) {
          resolve(failures.find((failure) => isRefusal(failure.error)) ?? failures.at(-1));
        }
      });
    }
  });
}

function disconnect(clients: readonly Redis[]): void {
  for (const client of clients) client.disconnect();
}
