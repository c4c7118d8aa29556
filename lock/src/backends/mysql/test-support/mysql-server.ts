/**
 * A real MariaDB for tests, or the MySQL of HOLDFAST_MYSQLD: on a free loopback port, in a folder of its own, and gone
 * with the test process whatever happens to it. The first on a machine makes a data folder, which the others copy.
 *
 * @module
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { createConnection, createPool, type Pool, type PoolOptions } from 'mysql2/promise';
import { stop } from '../../../test-support/stop.ts';

const READY_MS = 60_000;

/** One of the two servers that speak this protocol. */
interface Product {
  readonly name: 'mariadb' | 'mysql';
  readonly args: readonly string[];
  server(): string;
  /** Makes a data folder with a database `holdfast`, which root may enter from 127.0.0.1 without a password. */
  install(data: string, scratch: string): void;
}

const user = `--user=${userInfo().username}`;

const mariadb: Product = {
  name: 'mariadb',
  args: ['--innodb-log-file-size=8M'],
  server: () => program('mariadbd'),
  install(data, scratch) {
    const options = ['--no-defaults', user, `--datadir=${data}`, '--auth-root-authentication-method=normal'];
    execFileSync(program('mariadb-install-db'), [...options, '--skip-test-db'], {
      stdio: 'ignore',
      env: { ...process.env, TMPDIR: scratch },
    });
    execFileSync('mkdir', [path.join(data, 'holdfast')]); // a database is a folder
  },
};

const mysql: Product = {
  name: 'mysql',
  args: ['--mysqlx=OFF', '--secure-file-priv=NULL', '--innodb-redo-log-capacity=16M'],
  server: () => process.env.HOLDFAST_MYSQLD as string,
  install(data, scratch) {
    const file = path.join(scratch, 'first.sql');
    writeFileSync(
      file,
      "CREATE USER root@'127.0.0.1'; GRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION; CREATE DATABASE holdfast;\n",
    );
    const options = ['--no-defaults', user, `--datadir=${data}`, `--init-file=${file}`, ...mysql.args];
    execFileSync(mysql.server(), [...options, '--initialize-insecure'], { stdio: 'ignore' });
    rmSync(path.join(data, 'auto.cnf')); // the identity of a server, which copies must not share
  },
};

/** What the tests run on: MariaDB, unless HOLDFAST_MYSQLD names a mysqld (`npm run test:mysql`). */
export const product: Product = process.env.HOLDFAST_MYSQLD === undefined ? mariadb : mysql;

const running: Set<MysqlServer> = new Set();
process.once('exit', () => {
  for (const server of running) server.killNow();
});

export class MysqlServer {
  readonly port: number;
  readonly folder: string;
  readonly #args: readonly string[];
  #process: ChildProcess | undefined;
  #admin: Pool | undefined;

  private constructor(port: number, folder: string, args: readonly string[]) {
    this.port = port;
    this.folder = folder;
    this.#args = args;
    running.add(this);
  }

  /** Resolves when it answers. `args` are further arguments of the server, `files` further files of its data folder. */
  static async start(args: readonly string[] = [], files: Record<string, string> = {}): Promise<MysqlServer> {
    const folder = mkdtempSync(path.join(tmpdir(), `holdfast-${product.name}-`));
    execFileSync('cp', ['-a', template(), path.join(folder, 'data')]);
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, 'data', name), text);
    const server = new MysqlServer(await freePort(), folder, args);
    await server.#spawn();
    return server;
  }

  get pid(): number {
    return this.#process?.pid as number;
  }

  get url(): string {
    return urlOf(this.port);
  }

  /** Connections for the test itself, which do not go through what is tested. */
  get admin(): Pool {
    this.#admin ??= this.pool({ connectionLimit: 2 });
    return this.#admin;
  }

  /** A pool as a program would have it. */
  pool(options: PoolOptions = {}): Pool {
    return createPool({ uri: this.url, connectTimeout: 5_000, ...options });
  }

  /** Kills it, and starts it again on the same port with the same data. */
  async restart(): Promise<void> {
    await this.kill();
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
    await this.#admin?.end();
    await this.kill();
    running.delete(this);
    rmSync(this.folder, { recursive: true, force: true });
  }

  killNow(): void {
    this.#process?.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #spawn(): Promise<void> {
    const logFile = path.join(this.folder, 'log');
    const log = openSync(logFile, 'a');
    const child = spawn(
      product.server(),
      [
        '--no-defaults',
        `--user=${userInfo().username}`,
        `--datadir=${path.join(this.folder, 'data')}`,
        `--tmpdir=${this.folder}`, // one of several in one folder removes the files of the others
        `--port=${this.port}`,
        '--bind-address=127.0.0.1',
        `--socket=${path.join(this.folder, 'socket')}`,
        `--pid-file=${path.join(this.folder, 'pid')}`,
        '--innodb-buffer-pool-size=16M',
        '--innodb-flush-log-at-trx-commit=2',
        '--skip-log-bin',
        '--skip-name-resolve',
        '--max-connections=300',
        ...product.args,
        ...this.#args,
      ],
      { stdio: ['ignore', log, log] },
    );
    closeSync(log);
    this.#process = child;
    const giveUpAt = Date.now() + READY_MS;
    while (!(await answers(this.url))) {
      if (child.exitCode !== null) {
        throw new Error(`${product.name} ended with status ${child.exitCode}: ${readFileSync(logFile, 'utf8')}`);
      }
      if (Date.now() > giveUpAt) throw new Error(`${product.name} did not answer within ${READY_MS} ms.`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

export function urlOf(port: number): string {
  return `mysql://root@127.0.0.1:${port}/holdfast`;
}

function program(name: string): string {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/usr/bin'];
  const found = folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${name} is not installed: npm run setup does it.`);
  return found;
}

/** A data folder with a database `holdfast`, made once for each user, version and machine. */
function template(): string {
  const version = execFileSync(product.server(), ['--no-defaults', '--version'], { encoding: 'utf8' }).match(
    /\d[\d.]+/,
  )?.[0];
  const cache = path.join(tmpdir(), `holdfast-${product.name}-template-${version}-${userInfo().uid}`);
  if (existsSync(cache)) return cache;
  const folder = mkdtempSync(path.join(tmpdir(), `holdfast-${product.name}-install-`));
  const data = path.join(folder, 'data');
  product.install(data, folder);
  try {
    renameSync(data, cache);
  } catch {
    if (!existsSync(cache)) throw new Error(`The data folder could not be moved to ${cache}.`);
  }
  rmSync(folder, { recursive: true, force: true });
  return cache;
}

async function answers(url: string): Promise<boolean> {
  try {
    const connection = await createConnection({ uri: url, connectTimeout: 2_000 });
    await connection.query('SELECT 1');
    connection.destroy();
    return true;
  } catch {
    return false;
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
