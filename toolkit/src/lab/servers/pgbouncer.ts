/**
 * A PgBouncer of the lab, in front of its PostgreSQL, as it is often put there: in transaction mode, with the size of
 * pool that it has by default. After each transaction a client's connection to the server goes to whoever comes next.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import type { Reaper } from '../reaper.ts';
import { end, startOnFreePort } from './on-free-port.ts';
import { asPostgres, type PostgresServer, urlOf } from './postgres.ts';

export interface PgBouncerOptions {
  readonly reaper: Reaper;
  /** The pgbouncer program. */
  readonly program: string;
  readonly folder: string;
  readonly postgres: PostgresServer;
}

export class PgBouncer {
  readonly port: number;
  readonly version: string;
  readonly #process: ChildProcess;

  private constructor(port: number, version: string, process: ChildProcess) {
    this.port = port;
    this.version = version;
    this.#process = process;
  }

  /** Resolves when the server answers through it. */
  static async start({ reaper, program, folder, postgres }: PgBouncerOptions): Promise<PgBouncer> {
    const { port, process } = await startOnFreePort({
      reaper,
      name: 'pgbouncer',
      folder,
      command: (port) => asPostgres([program, '-q', configuration(folder, port, postgres.port)]),
      answers: async (port) => (await ask(port, 'postgres', 'SHOW port')) === String(postgres.port),
    });
    return new PgBouncer(port, (await ask(port, 'pgbouncer', 'SHOW VERSION')).toLowerCase(), process);
  }

  get url(): string {
    return urlOf(this.port);
  }

  async stop(): Promise<void> {
    await end(this.#process, 'SIGKILL');
  }
}

function configuration(folder: string, port: number, serverPort: number): string {
  const file = path.join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
postgres = host=127.0.0.1 port=${serverPort} dbname=postgres user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
stats_users = postgres
`,
  );
  chmodSync(file, 0o644);
  return file;
}

async function ask(port: number, database: string, statement: string): Promise<string> {
  const client = new pg.Client({
    connectionString: urlOf(port).replace(/postgres$/, database),
    connectionTimeoutMillis: 2_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    // The console of PgBouncer knows simple queries only.
    const { rows } = (await client.query(statement)) as { rows: Record<string, unknown>[] };
    return String(Object.values(rows[0] ?? {})[0]);
  } finally {
    await client.end().catch(() => {});
  }
}
