/**
 * A real redis-server for tests: on a free loopback port, in a folder of its own, without persistence, and gone with
 * the test process whatever happens to it.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { stop } from '../../../test-support/stop.ts';

const READY_MS = 10_000;

const running: Set<RedisServer> = new Set();
process.once('exit', () => {
  for (const server of running) server.killNow();
});

export class RedisServer {
  readonly port: number;
  readonly #folder: string;
  #args: readonly string[];
  readonly #configFile: string | undefined;
  #process: ChildProcess | undefined;
  #admin: Redis | undefined;

  private constructor(port: number, args: readonly string[], writeConfig?: (folder: string) => string) {
    this.port = port;
    this.#args = args;
    this.#folder = mkdtempSync(join(tmpdir(), 'holdfast-redis-'));
    this.#configFile = writeConfig?.(this.#folder);
    running.add(this);
  }

  /**
   * Resolves when it answers. `args` are further arguments of redis-server; `writeConfig` puts a configuration file into
   * its folder, which a Sentinel needs, and gives its path.
   */
  static async start(args: readonly string[] = [], writeConfig?: (folder: string) => string): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), args, writeConfig);
    await server.#spawn();
    return server;
  }

  get pid(): number {
    return this.#process?.pid as number;
  }

  /** A connection for the test itself, which does not go through what is tested. */
  get admin(): Redis {
    this.#admin ??= new Redis({ host: '127.0.0.1', port: this.port, retryStrategy: () => 50 }).on(
      'error',
      () => undefined,
    );
    return this.#admin;
  }

  /** A client as a program would have it. */
  connect(options: object = {}): Redis {
    return new Redis({ host: '127.0.0.1', port: this.port, ...options }).on('error', () => undefined);
  }

  /** All keys but those that are documented to stay: the counters of tokens. */
  async keys(): Promise<string[]> {
    return (await this.admin.keys('*')).filter((key) => !key.startsWith('holdfast.token')).sort();
  }

  /** How many commands of this name the server has done since `CONFIG RESETSTAT`. */
  async calls(command: string): Promise<number> {
    const stats = await this.admin.info('commandstats');
    return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0);
  }

  /** Kills it, and starts it again, empty, on the same port. */
  async restart(): Promise<void> {
    await this.kill();
    await this.#spawn();
  }

  /** Starts it again after `kill`; other arguments than it had stand in their place. */
  async startAgain(args?: readonly string[]): Promise<void> {
    if (args !== undefined) this.#args = args;
    await this.#spawn();
  }

  pause(): void {
    stop(this.#process?.pid);
  }

  resume(): void {
    this.#process?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  async stop(): Promise<void> {
    this.#admin?.disconnect();
    await this.kill();
    running.delete(this);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  killNow(): void {
    this.#process?.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #spawn(): Promise<void> {
    const address = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder];
    const args = this.#configFile === undefined ? [...address, '--save', ''] : [this.#configFile, ...address];
    const child = spawn('redis-server', [...args, ...this.#args], { stdio: 'ignore' });
    this.#process = child;
    let failure: Error | undefined;
    child.on('error', (error) => {
      failure = error;
    });
    const giveUpAt = Date.now() + READY_MS;
    while (!(await answers(this.port))) {
      if (failure !== undefined) throw failure;
      if (child.exitCode !== null) throw new Error(`redis-server ended with status ${child.exitCode}.`);
      if (Date.now() > giveUpAt) throw new Error(`redis-server did not answer within ${READY_MS} ms.`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Whether a server answers a PING there, with whatever reply. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const done = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('data', (data) => done(/^[+-](PONG|NOAUTH|MASTERDOWN)/.test(data.toString())));
    socket.once('error', () => done(false));
    socket.setTimeout(500, () => done(false));
  });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}
