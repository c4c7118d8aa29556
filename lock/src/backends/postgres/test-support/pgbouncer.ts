/**
 * A real PgBouncer for tests, between a test and its PostgreSQL.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { answers, asPostgres, freePort, type PostgresServer, program } from './postgres-server.ts';

const READY_MS = 10_000;

const running: Set<PgBouncer> = new Set();
process.once('exit', () => {
  for (const pooler of running) pooler.killNow();
});

export interface PgBouncerOptions {
  readonly mode: 'transaction' | 'session';
  /** How many connections to the server it has at most. */
  readonly poolSize?: number;
}

export class PgBouncer {
  readonly port: number;
  readonly #folder: string;
  readonly #process: ChildProcess;

  private constructor(port: number, folder: string, child: ChildProcess) {
    this.port = port;
    this.#folder = folder;
    this.#process = child;
    running.add(this);
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Resolves when the server answers through it. */
  static async start(server: PostgresServer, { mode, poolSize = 20 }: PgBouncerOptions): Promise<PgBouncer> {
    const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-pgbouncer-'));
    chmodSync(folder, 0o755);
    const port = await freePort();
    const config = path.join(folder, 'pgbouncer.ini');
    writeFileSync(
      config,
      `[databases]
postgres = host=127.0.0.1 port=${server.port} dbname=postgres user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${poolSize}
max_client_conn = 2000
server_login_retry = 0.1
`,
    );
    const [command = '', ...args] = asPostgres([program('pgbouncer'), '-q', config]);
    const child = spawn(command, args, { stdio: 'ignore', cwd: '/' });
    const pooler = new PgBouncer(port, folder, child);
    const giveUpAt = Date.now() + READY_MS;
    while (!(await answers(pooler.url))) {
      if (child.exitCode !== null) throw new Error(`pgbouncer ended with status ${child.exitCode}.`);
      if (Date.now() > giveUpAt) throw new Error(`pgbouncer did not answer within ${READY_MS} ms.`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return pooler;
  }

  async stop(): Promise<void> {
    running.delete(this);
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const gone = once(this.#process, 'exit');
      this.#process.kill('SIGKILL');
      await gone;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  killNow(): void {
    this.#process.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
