/**
 * What a Redis server says about its own work, read before and after.
 *
 * @module
 */
import type { Redis } from 'ioredis';

export interface ServerFigures {
  /** User and system time of the server's process since it started. */
  readonly cpuMs: number;
  /** How often each command was done, whether a client sent it or a script did. */
  readonly calls: ReadonlyMap<string, number>;
  readonly blockedClients: number;
  readonly usedMemoryBytes: number;
}

export async function readServer(client: Redis): Promise<ServerFigures> {
  return parseInfo(await client.info('all'));
}

export function parseInfo(text: string): ServerFigures {
  const fields = new Map<string, string>();
  const calls = new Map<string, number>();
  for (const line of text.split(/\r?\n/)) {
    const [, field, value] = /^(\w[^:]*):(.*)$/.exec(line) ?? [];
    if (field === undefined || value === undefined) continue;
    const command = /^cmdstat_(.+)$/.exec(field)?.[1];
    if (command === undefined) fields.set(field, value);
    else calls.set(command, Number(/^calls=(\d+)/.exec(value)?.[1]));
  }
  const numberOf = (field: string): number => {
    const value = Number(fields.get(field));
    if (!Number.isFinite(value)) throw new Error(`The server's INFO has no number for ${field}.`);
    return value;
  };
  return {
    cpuMs: (numberOf('used_cpu_user') + numberOf('used_cpu_sys')) * 1000,
    calls,
    blockedClients: numberOf('blocked_clients'),
    usedMemoryBytes: numberOf('used_memory'),
  };
}

/** How often these commands were done in between; all of them, where none is named. */
export function callsBetween(before: ServerFigures, after: ServerFigures, commands?: readonly string[]): number {
  let sum = 0;
  for (const [command, calls] of after.calls) {
    if (commands === undefined || commands.includes(command)) sum += calls - (before.calls.get(command) ?? 0);
  }
  return sum;
}
