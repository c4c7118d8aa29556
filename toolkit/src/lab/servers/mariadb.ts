/**
 * A MariaDB of the lab, or a MySQL: on a free loopback port, in the lab's folder, ended by its pid.
 *
 * @module
 */
import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import type { Reaper } from '../reaper.ts';
import { copyOfTemplate, run } from './data-folders.ts';
import type { Dated } from './dated.ts';
import type { Network } from './line.ts';
import { end, type Started, startOnFreePort } from './on-free-port.ts';

export interface MariadbOptions {
  readonly reaper: Reaper;
  /** A mariadbd or mysqld program. */
  readonly program: string;
  readonly folder: string;
  /** Further arguments, as `--wait-timeout=3`. */
  readonly args?: readonly string[];
  /** Where it runs. Left out: on the loopback of this machine. */
  readonly network?: Network;
}

export class MariadbServer {
  readonly name: Product['name'];
  readonly port: number;
  readonly version: string;
  readonly #host: string;
  readonly #process: ChildProcess;
  readonly #data: string;
  readonly #product: Product;
  #asked = 0;

  private constructor(product: Product, started: Started, host: string, version: string, data: string) {
    this.name = product.name;
    this.#product = product;
    this.port = started.port;
    this.version = version;
    this.#host = host;
    this.#process = started.process;
    this.#data = data;
  }

  /** Resolves when it answers. */
  static async start({ reaper, program, folder, args = [], network }: MariadbOptions): Promise<MariadbServer> {
    const product = await productOf(program);
    const { name } = product;
    const data = await copyOfTemplate(reaper, name, folder, (template) => product.initialise(program, template));
    const host = network?.line.address ?? LOOPBACK;
    const reach = network ? openTo(folder) : [`--bind-address=${LOOPBACK}`];
    const started = await startOnFreePort({
      reaper,
      name,
      folder,
      command: (port) => [
        ...(network?.enter ?? []),
        program,
        '--no-defaults',
        `--user=${userInfo().username}`,
        `--datadir=${data}`,
        `--port=${port}`,
        ...reach,
        `--socket=${path.join(folder, `${name}.sock`)}`,
        `--pid-file=${path.join(folder, `${name}.pid`)}`,
        `--tmpdir=${folder}`,
        '--innodb-buffer-pool-size=16M',
        '--innodb-flush-log-at-trx-commit=0',
        '--skip-log-bin',
        '--skip-name-resolve',
        '--max-connections=300',
        ...product.args,
        ...args,
      ],
      answers: async (port) => (await ask(urlOf(port, host), 'SELECT @@datadir')) === `${data}/`,
    });
    const version = (await ask(urlOf(started.port, host), 'SELECT VERSION()')).replace(/-.*/, '');
    return new MariadbServer(product, started, host, version, data);
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
    if (pid === undefined) throw new Error(`${this.name} has no process.`);
    const statement = "SELECT TIMESTAMPDIFF(SECOND, '1970-01-01', UTC_TIMESTAMP(6))";
    return { name: this.name, pid, says: 'UTC_TIMESTAMP()', dates: async () => [Number(await this.ask(statement))] };
  }

  /** How many statements it has been given, by its own count and without ours. */
  async requests(): Promise<number> {
    const count = `SELECT VARIABLE_VALUE FROM ${this.#product.status} WHERE VARIABLE_NAME = 'QUESTIONS'`;
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

/** What differs between the two. */
interface Product {
  readonly name: 'mariadb' | 'mysql';
  readonly args: readonly string[];
  /** Where it keeps its counts. */
  readonly status: string;
  /** Makes a data folder with a database of the lab, which root may enter from this machine. */
  initialise(program: string, folder: string): Promise<void>;
}

const ownerOf = (): string => `--user=${userInfo().username}`;

const mariadb: Product = {
  name: 'mariadb',
  args: ['--innodb-log-file-size=8M'],
  status: 'information_schema.GLOBAL_STATUS',
  async initialise(program, folder) {
    const options = [ownerOf(), `--datadir=${folder}`, '--auth-root-authentication-method=normal'];
    // In /tmp another MariaDB that starts would remove its temporary tables.
    await run([
      installerOf(program),
      '--no-defaults',
      ...options,
      `--tmpdir=${path.dirname(folder)}`,
      '--skip-test-db',
    ]);
    mkdirSync(path.join(folder, 'holdfast'), { recursive: true }); // a database is a folder
  },
};

const mysql: Product = {
  name: 'mysql',
  args: ['--mysqlx=OFF', '--secure-file-priv=NULL', '--innodb-redo-log-capacity=16M'],
  status: 'performance_schema.global_status',
  async initialise(program, folder) {
    const file = `${folder}.sql`;
    const root = `CREATE USER root@'${LOOPBACK}';\nGRANT ALL PRIVILEGES ON *.* TO root@'${LOOPBACK}' WITH GRANT OPTION;\n`;
    writeFileSync(file, `${root}CREATE DATABASE holdfast;\n`);
    const options = [ownerOf(), `--datadir=${folder}`, `--init-file=${file}`, ...mysql.args];
    await run([program, '--no-defaults', ...options, '--initialize-insecure']);
  },
};

/** By what it says of its version; a program called mysqld may be a MariaDB. */
async function productOf(program: string): Promise<Product> {
  const { stdout } = await promisify(execFile)(program, ['--no-defaults', '--version']);
  return stdout.includes('MariaDB') ? mariadb : mysql;
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
