/**
 * A real PostgreSQL for tests: on a free loopback port, in a folder of its own, and gone with the test process whatever
 * happens to it. The first on a machine makes a data folder with initdb, which the others copy.
 *
 * @module
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { stop } from '../../../test-support/stop.ts';

const READY_MS = 30_000;

const running: Set<PostgresServer> = new Set();
process.once('exit', () => {
  for (const server of running) server.killNow();
});

export class PostgresServer {
  readonly port: number;
  readonly folder: string;
  readonly #args: readonly string[];
  #process: ChildProcess | undefined;
  #admin: pg.Pool | undefined;

  private constructor(port: number, folder: string, args: readonly string[]) {
    this.port = port;
    this.folder = folder;
    this.#args = args;
    running.add(this);
  }

  /** Resolves when it answers. `settings` are further ones, such as `{ max_connections: '20' }`. */
  static async start(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
    const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-postgres-'));
    chmodSync(folder, 0o755);
    const data = path.join(folder, 'data');
    execFileSync('cp', ['-a', template(), data]);
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = new PostgresServer(await freePort(), folder, args);
    await server.#spawn();
    return server;
  }

  /** A hot standby that follows another server. */
  static async standbyOf(primary: PostgresServer): Promise<PostgresServer> {
    const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-postgres-'));
    chmodSync(folder, 0o755);
    const data = path.join(folder, 'data');
    mkdirSync(data, { mode: 0o700 });
    if (userInfo().uid === 0) execFileSync('chown', ['postgres:postgres', data]);
    const options = ['-d', primary.url, '-D', data, '-R', '--checkpoint=fast', '--no-sync'];
    const [command = '', ...args] = asPostgres([program('pg_basebackup'), ...options]);
    execFileSync(command, args, { stdio: 'ignore', cwd: '/' });
    const server = new PostgresServer(await freePort(), folder, []);
    await server.#spawn();
    return server;
  }

  get pid(): number {
    return this.#process?.pid as number;
  }

  get url(): string {
    return this.urlAt(this.port);
  }

  /** The same through a relay or pooler. */
  urlAt(port: number): string {
    return `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  /** Connections for the test itself, which do not go through what is tested. */
  get admin(): pg.Pool {
    this.#admin ??= this.pool({ max: 2 });
    return this.#admin;
  }

  /** A pool as a program would have it. */
  pool(options: pg.PoolConfig = {}): pg.Pool {
    const pool = new pg.Pool({ connectionString: this.url, connectionTimeoutMillis: 5_000, ...options });
    pool.on('error', () => undefined);
    return pool;
  }

  /** Kills it as a crash does, and starts it again on the same port with the same data. */
  async restart(): Promise<void> {
    await this.kill();
    await this.#spawn();
  }

  /** Stops the server and all its processes with SIGSTOP. */
  pause(): void {
    for (const pid of this.#pids()) stop(pid);
  }

  resume(): void {
    for (const pid of this.#pids()) process.kill(pid, 'SIGCONT');
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGQUIT'); // "immediate": no clean-up, and recovery at the next start, without orphans of its children
    await gone;
  }

  async stop(): Promise<void> {
    await this.#admin?.end();
    await this.kill();
    running.delete(this);
    rmSync(this.folder, { recursive: true, force: true });
  }

  killNow(): void {
    this.#process?.kill('SIGQUIT');
    rmSync(this.folder, { recursive: true, force: true });
  }

  #pids(): number[] {
    const parent = this.#process?.pid;
    if (parent === undefined) return [];
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(parent)], { encoding: 'utf8' });
    return [parent, ...children.trim().split(/\s+/).map(Number)];
  }

  async #spawn(): Promise<void> {
    const settings = [
      ...[
        '-p',
        String(this.port),
        '-c',
        'listen_addresses=127.0.0.1',
        '-c',
        'unix_socket_directories=',
        '-c',
        'fsync=off',
      ],
      ...['-c', 'shared_buffers=16MB', '-c', 'max_connections=200', ...this.#args],
    ];
    const [command = '', ...args] = asPostgres([
      program('postgres'),
      '-D',
      path.join(this.folder, 'data'),
      ...settings,
    ]);
    const log = openSync(path.join(this.folder, 'log'), 'a');
    const child = spawn(command, args, { stdio: ['ignore', log, log], cwd: '/' });
    closeSync(log);
    this.#process = child;
    const giveUpAt = Date.now() + READY_MS;
    while (!(await answers(this.url))) {
      if (child.exitCode !== null) {
        throw new Error(
          `postgres ended with status ${child.exitCode}: ${readFileSync(path.join(this.folder, 'log'), 'utf8')}`,
        );
      }
      if (Date.now() > giveUpAt) throw new Error(`postgres did not answer within ${READY_MS} ms.`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** The server does not run as root. */
export function asPostgres(command: readonly string[]): readonly string[] {
  if (userInfo().uid !== 0) return command;
  return ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...command];
}

export function program(name: string): string {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', ...versions('/usr/lib/postgresql')];
  const found = folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${name} is not installed: npm run setup does it.`);
  return found;
}

function versions(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((version) => path.join(folder, version, 'bin'));
}

/** A data folder as initdb makes it, once for each user, version and machine. */
function template(): string {
  const version = execFileSync(program('postgres'), ['--version'], { encoding: 'utf8' }).replace(/[^0-9.]+/g, '');
  const cache = path.join(tmpdir(), `holdfast-postgres-template-${version}-${userInfo().uid}`);
  if (existsSync(cache)) return cache;
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-initdb-'));
  chmodSync(folder, 0o755);
  const data = path.join(folder, 'data');
  mkdirSync(data);
  if (userInfo().uid === 0) execFileSync('chown', ['postgres:postgres', data]);
  const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const [command = '', ...args] = asPostgres([program('initdb'), '-D', data, ...options]);
  execFileSync(command, args, { stdio: 'ignore', cwd: '/' });
  try {
    renameSync(data, cache);
  } catch {
    if (!existsSync(cache)) throw new Error(`The data folder of initdb could not be moved to ${cache}.`);
  }
  rmSync(folder, { recursive: true, force: true });
  return cache;
}

export async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
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
