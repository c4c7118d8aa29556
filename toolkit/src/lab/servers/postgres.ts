/**
 * A PostgreSQL of the lab: on a free loopback port, in the lab's folder, ended by its pid. Nothing of it is worth a disk
 * write, since it ends with the run.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { Reaper } from '../reaper.ts';
import { copyOfTemplate, run } from './data-folders.ts';
import type { Dated } from './dated.ts';
import type { Network } from './line.ts';
import { end, type Started, startOnFreePort } from './on-free-port.ts';

export interface PostgresOptions {
  readonly reaper: Reaper;
  /** The postgres program; initdb stands beside it. */
  readonly program: string;
  readonly folder: string;
  /** Further settings, as `idle_session_timeout`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where it runs. Left out: on the loopback of this machine. */
  readonly network?: Network;
}

export class PostgresServer {
  readonly name = 'postgres';
  readonly port: number;
  readonly version: string;
  readonly #host: string;
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #data: string;
  #asking: pg.Client | undefined;

  private constructor(started: Started, host: string, version: string, folder: string, data: string) {
    this.port = started.port;
    this.version = version;
    this.#host = host;
    this.#process = started.process;
    this.#folder = folder;
    this.#data = data;
  }

  /** Resolves when it answers. */
  static async start({ reaper, program, folder, settings = {}, network }: PostgresOptions): Promise<PostgresServer> {
    // The server may not run as root, and whom it runs as must get to its files.
    for (const each of [reaper.folder, folder]) chmodSync(each, 0o711);
    const data = await copyOfTemplate(reaper, 'postgres', folder, (template) => initialise(program, template));
    const host = network?.line.address ?? LOOPBACK;
    const all = { ...SETTINGS, ...settings, ...(network ? openTo(folder) : {}) };
    const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const started = await startOnFreePort({
      reaper,
      name: 'postgres',
      folder,
      endsBy: AT_ONCE,
      command: (port) => [...(network?.enter ?? []), ...asPostgres([program, '-D', data, '-p', String(port), ...args])],
      answers: async (port) => (await ask(urlOf(port, host), 'SHOW data_directory')) === data,
    });
    const version = (await ask(urlOf(started.port, host), 'SHOW server_version')).replace(/ .*/, '');
    return new PostgresServer(started, host, version, folder, data);
  }

  get url(): string {
    return urlOf(this.port, this.#host);
  }

  /** The first value of the answer to a question of the lab, as text. */
  ask(statement: string): Promise<string> {
    return ask(this.url, statement);
  }

  /** Each connection has a process of its own, so that two are asked: one from before, and a new one. */
  get dated(): Dated {
    const { pid } = this.#process;
    if (pid === undefined) throw new Error('postgres has no process.');
    const statement = 'SELECT extract(epoch FROM clock_timestamp())';
    return {
      name: this.name,
      pid,
      says: 'clock_timestamp()',
      open: async () => {
        this.#asking ??= await connected(this.url);
      },
      dates: async () => {
        const before = this.#asking ? [await firstValue(this.#asking, statement)] : [];
        return [...before, await this.ask(statement)].map(Number);
      },
    };
  }

  /** How many statements it has been given: each is a line of its log before it is done. */
  async requests(): Promise<number> {
    const log = readFileSync(path.join(this.#folder, `${this.name}.log`), 'utf8');
    return [...log.matchAll(/ LOG: {2}(?:statement|execute .+?): /g)].length;
  }

  async stop(): Promise<void> {
    await this.#asking?.end().catch(() => {});
    await end(this.#process, AT_ONCE);
    rmSync(this.#data, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

/** PostgreSQL's own way to end without a clean-up. After SIGKILL a piece of shared memory would stay in the kernel. */
const AT_ONCE = 'SIGQUIT';

const LOOPBACK = '127.0.0.1';

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: LOOPBACK,
  unix_socket_directories: '',
  fsync: 'off',
  shared_buffers: '16MB',
  max_connections: '200',
  log_statement: 'all',
};

export function urlOf(port: number, host: string = LOOPBACK): string {
  return `postgres://postgres@${host}:${port}/postgres`;
}

/** Takes everybody who comes: in a network of its own that is only who has a line there. */
function openTo(folder: string): Readonly<Record<string, string>> {
  const file = path.join(folder, 'pg_hba.conf');
  writeFileSync(file, 'host all all 0.0.0.0/0 trust\n');
  return { listen_addresses: '*', hba_file: file };
}

/** Root may not run the servers of PostgreSQL: it gives itself up for the user that Debian's package has made. */
export function asPostgres(command: readonly string[]): readonly string[] {
  if (userInfo().uid !== 0) return command;
  return ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...command];
}

/** What initdb makes, in a folder that is there and empty. */
async function initialise(program: string, folder: string): Promise<void> {
  if (userInfo().uid === 0) await run(['chown', 'postgres:postgres', folder]);
  const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await run(asPostgres([path.join(path.dirname(program), 'initdb'), '-D', folder, ...options]));
}

async function ask(url: string, statement: string): Promise<string> {
  const client = await connected(url);
  try {
    return await firstValue(client, statement);
  } finally {
    await client.end().catch(() => {});
  }
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

async function firstValue(client: pg.Client, statement: string): Promise<string> {
  const { rows } = await client.query({ text: statement, rowMode: 'array' });
  return String(rows[0]?.[0]);
}
