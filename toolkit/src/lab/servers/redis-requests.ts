/**
 * How many requests clients have sent to Redis servers of the lab. The servers are watched with MONITOR, since what INFO
 * counts is also what scripts do inside a server.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Redis } from 'ioredis';
import { linesOf } from '../lines-of.ts';
import { within } from '../until.ts';
import type { Counts } from './member.ts';
import type { RedisServer } from './redis.ts';

/** As MONITOR names the source of what a script does. */
const SCRIPT = 'lua';

export class RedisRequests {
  readonly #servers: readonly RedisServer[];
  #watches: Promise<readonly Watch[]> | undefined;

  constructor(servers: readonly RedisServer[]) {
    this.#servers = servers;
  }

  /** Of all servers together, since the first call: before it nothing is watched, which would cost. */
  async counts(): Promise<Counts> {
    this.#watches ??= Promise.all(this.#servers.map((server) => Watch.start(server)));
    const counts = await Promise.all((await this.#watches).map((watch) => watch.count()));
    return { requests: counts.reduce((sum, count) => sum + count, 0) };
  }

  close(): void {
    this.#watches?.then(
      (watches) => {
        for (const watch of watches) watch.close();
      },
      () => {}, // none was started
    );
  }
}

/** `+1796039076.047331 [0 127.0.0.1:42238] "set" "name" …`: when, who, what. */
const TOLD = /^\+[\d.]+ \[\d+ ([^\]]+)\] "([^"]*)"(?: "([^"]*)")?/;

/** How long a server may be behind. */
const LIMIT_MS = 30_000;

/** Of one server. On a connection of its own, in lines: a client may take the first of them for the answer to MONITOR. */
class Watch {
  readonly #client: Redis;
  readonly #socket: Socket;
  readonly #markers = new EventEmitter();
  #requests = 0;

  private constructor({ client, port }: RedisServer) {
    this.#client = client;
    this.#socket = connect({ host: '127.0.0.1', port });
    this.#socket.on('error', () => {});
    linesOf(this.#socket, (line) => this.#read(line));
    this.#socket.write('MONITOR\r\n');
  }

  static async start(server: RedisServer): Promise<Watch> {
    const watch = new Watch(server);
    await within('MONITOR beginning', once(watch.#markers, 'begins'), LIMIT_MS);
    return watch;
  }

  /** MONITOR tells in the order in which the server works, so a word of ours says how far it has come. */
  async count(): Promise<number> {
    const marker = randomUUID();
    const seen = once(this.#markers, marker);
    await this.#client.echo(marker);
    const [requests] = await within('MONITOR telling all that a Redis has done', seen, LIMIT_MS);
    return requests as number;
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(line: string): void {
    if (line.startsWith('+OK')) this.#markers.emit('begins');
    const [, source, command = '', text = ''] = TOLD.exec(line) ?? [];
    if (command.toLowerCase() === 'echo') this.#markers.emit(text, this.#requests);
    else if (source !== undefined && source !== SCRIPT) this.#requests++;
  }
}
