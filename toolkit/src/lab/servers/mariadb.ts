/**
 * A MariaDB of the lab: on a free loopback port, in the lab's folder, ended by its pid.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { createConnection } from 'mysql2/promise';
import type { Reaper } from '../reaper.ts';
import { copyOfTemplate, run } from './data-folders.ts';
import type { Dated } from './dated.ts';
import { end, startOnFreePort } from './on-free-port.ts';

export interface MariadbOptions {
  readonly reaper: Reaper;
  /** The mariadbd program. */
  readonly program: string;
  readonly folder: string;
  /** Further arguments, as `--wait-timeout=3`. */
  readonly args?: readonly string[];
}

export class MariadbServer {
  readonly name = 'mariadb';
  readonly port: number;
  readonly version: string;
  readonly #process: ChildProcess;
  readonly #data: string;
  #asked = 0;

  private constructor(port: number, version: string, process: ChildProcess, data: string) {
    this.port = port;
    this.version = version;
    this.#process = process;
    this.#data = data;
  }

  /** Resolves when it answers. */
  static async start({ reaper, program, folder, args = [] }: MariadbOptions): Promise<MariadbServer> {
    const data = await copyOfTemplate(reaper, 'mariadb', folder, (template) => initialise(program, template));
    const { port, process } = await startOnFreePort({
      reaper,
      name: 'mariadb',
      folder,
      command: (port) => [
        program,
        '--no-defaults',
        `--user=${userInfo().username}`,
        `--datadir=${data}`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
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
      answers: async (port) => (await ask(port, 'SELECT @@datadir')) === `${data}/`,
    });
    return new MariadbServer(port, (await ask(port, 'SELECT VERSION()')).replace(/-.*/, ''), process, data);
  }

  get url(): string {
    return urlOf(this.port);
  }

  /** The first value of the answer to a question of the lab, as text. */
  ask(statement: string): Promise<string> {
    return ask(this.port, statement);
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

export function urlOf(port: number): string {
  return `mysql://root@127.0.0.1:${port}/holdfast`;
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

async function ask(port: number, statement: string): Promise<string> {
  const connection = await createConnection({ uri: urlOf(port), connectTimeout: 2_000 });
  connection.on('error', () => {});
  try {
    const [rows] = await connection.query({ sql: statement, rowsAsArray: true });
    return String((rows as unknown[][])[0]?.[0]);
  } finally {
    connection.destroy();
  }
}
