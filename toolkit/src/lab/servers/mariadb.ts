/**
 * A MariaDB of the lab: on a free loopback port, in the lab's folder, ended by its pid.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { createConnection } from 'mysql2/promise';
import type { Reaper } from '../reaper.ts';
import { copyOfTemplate, run } from './data-folders.ts';
import type { Dated } from './dated.ts';
import type { Network } from './line.ts';
import { end, type Started, startOnFreePort } from './on-free-port.ts';

export interface MariadbOptions {
  readonly reaper: Reaper;
  /** The mariadbd program. */
  readonly program: string;
  readonly folder: string;
  /** Further arguments, as `--wait-timeout=3`. */
  readonly args?: readonly string[];
  /** Where it runs. Left out: on the loopback of this machine. */
  readonly network?: Network;
}

export class MariadbServer {
  readonly name = 'mariadb';
  readonly port: number;
  readonly version: string;
  readonly #host: string;
  readonly #process: ChildProcess;
  readonly #data: string;
  #asked = 0;

  private constructor(started: Started, host: string, version: string, data: string) {
    this.port = started.port;
    this.version = version;
    this.#host = host;
    this.#process = started.process;
    this.#data = data;
  }

  /** Resolves when it answers. */
  static async start({ reaper, program, folder, args = [], network }: MariadbOptions): Promise<MariadbServer> {
    const data = await copyOfTemplate(reaper, 'mariadb', folder, (template) => initialise(program, template));
    const host = network?.line.address ?? LOOPBACK;
    const reach = network ? openTo(folder) : [`--bind-address=${LOOPBACK}`];
    const started = await startOnFreePort({
      reaper,
      name: 'mariadb',
      folder,
      command: (port) => [
        ...(network?.enter ?? []),
        program,
        '--no-defaults',
        `--user=${userInfo().username}`,
        `--datadir=${data}`,
        `--port=${port}`,
        ...reach,
        `--socket=${path.join(folder, 'mariadb.sock')}`,
        `--pid-file=${path.join(folder, 'mariadb.pid')}`,
        '--innodb-buffer-pool-size=16M',
        '--innodb-log-file-size=8M',
        '--innodb-flush-log-at-trx-commit=0',
        '--skip-log-bin',
        '--skip-name-resolve',
        '--max-connections=300',
        ...args,
      ],
      answers: async (port) => (await ask(urlOf(port, host), 'SELECT @@datadir')) === `${data}/`,
    });
    const version = (await ask(urlOf(started.port, host), 'SELECT VERSION()')).replace(/-.*/, '');
    return new MariadbServer(started, host, version, data);
  }

  get url(): string {
    return urlOf(this.port, this.#host);
  }

  /** The first value of the answer to a question of the lab, as text. */
  ask(statement: string): Promise<string> {
    return ask(this.url, statement);
  }

  get dated(): Dated {
    const { pid } = this.#process;
    if (pid === undefined) throw new Error('mariadb has no process.');
    const statement = "SELECT TIMESTAMPDIFF(SECOND, '1970-01-01', UTC_TIMESTAMP(6))";
    return { name: this.name, pid, says: 'UTC_TIMESTAMP()', dates: async () => [Number(await this.ask(statement))] };
  }

  /** How many statements it has been given, by its own count and without ours. */
  async requests(): Promise<number> {
    const count = "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'QUESTIONS'";
    return Number(await this.ask(count)) - ++this.#asked;
  }

  async stop(): Promise<void> {
    await end(this.#process, 'SIGKILL');
    rmSync(this.#data, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

const LOOPBACK = '127.0.0.1';

export function urlOf(port: number, host: string = LOOPBACK): string {
  return `mysql://root@${host}:${port}/holdfast`;
}

/** Takes everybody who comes: in a network of its own that is only who has a line there. */
function openTo(folder: string): readonly string[] {
  const file = path.join(folder, 'everybody.sql');
  writeFileSync(file, "CREATE USER root@'%';\nGRANT ALL PRIVILEGES ON *.* TO root@'%' WITH GRANT OPTION;\n");
  return ['--bind-address=0.0.0.0', `--init-file=${file}`];
}

/** What the installer makes, and a database of the lab, which is a folder. */
async function initialise(program: string, folder: string): Promise<void> {
  const options = [`--user=${userInfo().username}`, `--datadir=${folder}`, '--auth-root-authentication-method=normal'];
  await run([installerOf(program), '--no-defaults', ...options, '--skip-test-db']);
  mkdirSync(path.join(folder, 'holdfast'), { recursive: true });
}

/** It stands beside the server, or where programs for everybody stand. */
function installerOf(program: string): string {
  const name = 'mariadb-install-db';
  const places = [path.dirname(program), path.join(path.dirname(program), '..', 'bin'), '/usr/bin', '/usr/local/bin'];
  return places.map((folder) => path.join(folder, name)).find((file) => existsSync(file)) ?? name;
}

async function ask(url: string, statement: string): Promise<string> {
  const connection = await createConnection({ uri: url, connectTimeout: 2_000 });
  connection.on('error', () => {});
  try {
    const [rows] = await connection.query({ sql: statement, rowsAsArray: true });
    return String((rows as unknown[][])[0]?.[0]);
  } finally {
    connection.destroy();
  }
}
