/**
 * A Redis server of the lab: on a free loopback port, in the lab's folder, without persistence, ended by its pid.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import type { Reaper } from '../reaper.ts';
import { until } from '../until.ts';
import type { Dated } from './dated.ts';
import { freePort } from './free-port.ts';

const READY_LIMIT_MS = 10_000;

/** A server that changes its role closes all connections; the lab wants to ask it again soon. */
export const RECONNECT_MS = 20;

export interface RedisOptions {
  readonly reaper: Reaper;
  readonly program: string;
  /** As it stands in the history: `primary`. */
  readonly name: string;
  readonly folder: string;
  /** Where its primary is, or the way to it. */
  readonly replicaOf?: { readonly port: number };
  /** Further settings, as on the command line. */
  readonly settings?: readonly string[];
  /** Left out: any that is free. */
  readonly port?: number;
  /** The text of its configuration file, for a Sentinel. */
  readonly sentinel?: string;
}

export class RedisServer {
  readonly name: string;
  readonly port: number;
  readonly process: ChildProcess;
  /** The lab's own connection. A request that is cut off rejects; the connection comes back if the server does. */
  readonly client: Redis;

  private constructor(name: string, port: number, process: ChildProcess, client: Redis) {
    this.name = name;
    this.port = port;
    this.process = process;
    this.client = client;
  }

  get pid(): number {
    if (this.process.pid === undefined) throw new Error(`${this.name} has no process.`);
    return this.process.pid;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get dated(): Dated {
    return {
      name: this.name,
      pid: this.pid,
      says: 'TIME',
      dates: async () => [Number((await this.client.time())[0])],
    };
  }

  get hasExited(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Resolves when the server answers. Takes another port if somebody was quicker with the first. */
  static async start(options: RedisOptions): Promise<RedisServer> {
    for (let attempt = 1; ; attempt++) {
      const started = await tryToStart(options, options.port ?? (await freePort()));
      if (started) return new RedisServer(options.name, started.port, started.process, started.client);
      if (attempt === 5)
        throw new Error(`${options.name} found no free port in ${attempt} attempts.\n${logOf(options)}`);
    }
  }

  /** One field of INFO, or undefined. */
  async info(section: string, field: string): Promise<string | undefined> {
    return infoField(await this.client.info(section), field);
  }

  /** Ends it at once: it has nothing to save. */
  stop(): void {
    this.client.disconnect();
    if (!this.hasExited) this.process.kill('SIGKILL');
  }
}

interface Started {
  readonly port: number;
  readonly process: ChildProcess;
  readonly client: Redis;
}

/** Undefined if the port was taken. */
async function tryToStart(options: RedisOptions, port: number): Promise<Started | undefined> {
  const { reaper, program, name, folder } = options;
  mkdirSync(folder, { recursive: true });
  const log = openSync(path.join(folder, `${name}.log`), 'w');
  const process = reaper.spawnProgram(program, argumentsFor(options, port), { cwd: folder, output: log });
  closeSync(log);
  process.on('error', () => {}); // then it has no pid
  const client = new Redis({
    host: '127.0.0.1',
    port,
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
    retryStrategy: () => RECONNECT_MS,
  });
  client.on('error', () => {});
  try {
    await until(`${name} answering on port ${port}`, () => answers(client, process), {
      limitMs: READY_LIMIT_MS,
    });
    return { port, process, client };
  } catch (error) {
    client.disconnect();
    process.kill('SIGKILL');
    if (logOf(options).includes('Address already in use')) return undefined;
    throw new Error(`${name} did not start.\n${logOf(options)}`, { cause: error });
  }
}

/** Whether this very process answers, and not one that has the port in its place. */
async function answers(client: Redis, process: ChildProcess): Promise<boolean> {
  if (process.pid === undefined || process.exitCode !== null) throw new Error('It has ended.');
  try {
    if (client.status === 'wait') await client.connect();
    return infoField(await client.info('server'), 'process_id') === String(process.pid);
  } catch {
    return false;
  }
}

function argumentsFor(
  { name, folder, sentinel, replicaOf, settings: more = [] }: RedisOptions,
  port: number,
): string[] {
  if (sentinel !== undefined) {
    const file = path.join(folder, `${name}.conf`);
    writeFileSync(file, `port ${port}\nbind 127.0.0.1\ndir ${JSON.stringify(folder)}\n${sentinel}`);
    return [file, '--sentinel'];
  }
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'];
  // The lab is told of every key that is set, renewed, deleted or expires, whatever layout the subject has.
  settings.push('--notify-keyspace-events', 'EA', '--repl-diskless-sync-delay', '0');
  settings.push(...more);
  if (replicaOf) settings.push('--replicaof', '127.0.0.1', String(replicaOf.port));
  return settings;
}

function infoField(text: string, field: string): string | undefined {
  return new RegExp(`^${field}:(.*?)\\r?$`, 'm').exec(text)?.[1];
}

function logOf({ folder, name }: RedisOptions): string {
  return readFileSync(path.join(folder, `${name}.log`), 'utf8')
    .split('\n')
    .slice(-12)
    .join('\n')
    .trim();
}
