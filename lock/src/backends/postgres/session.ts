/**
 * Advisory locks of PostgreSQL on a pinned connection.
 *
 * A standby would give these locks as well, and to others than the primary does, so it is refused.
 *
 * The server ends a session that is silent for too long (`idle_session_timeout`), and finds a dead link by TCP
 * keep-alive and `tcp_user_timeout` as well: all of them later than our own side gives up. Other limits that an
 * administrator has set for idle sessions are overridden, since ours is kept from being idle.
 *
 * @module
 */
import { BackendUnavailableError, LockError } from '../../core/errors.ts';
import type { ConnectionSource } from '../../sql/connections.ts';
import type { SqlFailure } from '../../sql/database.ts';
import { SERVER_SILENT_MS, type SessionDatabase } from '../../sql/session-backend.ts';
import type { PostgresConnection, PostgresPool } from './client.ts';
import { connectionsOf } from './database.ts';
import { understand } from './failures.ts';
import { advisoryKey } from './lock-key.ts';
import { isDirect, serverProcess } from './pooler.ts';

/** Settings of the session; those that a server does not have are left out. */
const SETTINGS: Readonly<Record<string, string>> = {
  idle_session_timeout: String(SERVER_SILENT_MS), // from PostgreSQL 14 on
  idle_in_transaction_session_timeout: '0',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: String(SERVER_SILENT_MS),
};

export interface PostgresSessionSettings {
  readonly namespace: string;
  /** A pooler in between is known to be in session mode. */
  readonly sessionPooler: boolean;
}

export class PostgresSessions implements SessionDatabase<PostgresConnection> {
  readonly id = 'postgres-session';
  readonly connections: ConnectionSource<PostgresConnection>;
  readonly #settings: PostgresSessionSettings;
  readonly #processes: WeakMap<PostgresConnection, number> = new WeakMap();

  constructor(pool: PostgresPool, settings: PostgresSessionSettings) {
    this.connections = connectionsOf(pool);
    this.#settings = settings;
  }

  async prepare(connection: PostgresConnection): Promise<void> {
    if (!this.#settings.sessionPooler && !(await isDirect(connection))) throw poolerError();
    if (await isStandby(connection)) throw standbyError();
    const names = Object.keys(SETTINGS);
    await connection.query(
      'SELECT set_config(s.name, w.value, false) FROM pg_settings s JOIN unnest($1::text[], $2::text[]) AS w(name, value) USING (name)',
      [names, Object.values(SETTINGS)],
    );
    this.#processes.set(connection, await serverProcess(connection));
  }

  keyOf(name: string): string {
    return advisoryKey(this.#settings.namespace, name);
  }

  async lock(connection: PostgresConnection, key: string): Promise<boolean> {
    return this.#ask(connection, 'pg_try_advisory_lock($1::bigint)', [key]);
  }

  async unlock(connection: PostgresConnection, key: string): Promise<boolean> {
    return this.#ask(connection, 'pg_advisory_unlock($1::bigint)', [key]);
  }

  async probe(connection: PostgresConnection): Promise<void> {
    await this.#ask(connection, 'true', []);
  }

  understand(error: unknown): SqlFailure {
    return understand(error);
  }

  /** Every answer names the server's process: another one than at the start means that we are not alone on it. */
  async #ask(connection: PostgresConnection, expression: string, values: string[]): Promise<boolean> {
    const { rows } = await connection.query(`SELECT pg_backend_pid() AS pid, ${expression} AS answer`, values);
    if (Number(rows[0]?.pid) !== this.#processes.get(connection)) throw poolerError();
    return rows[0]?.answer === true;
  }
}

/** Asked once for each session: a primary does not become a standby without a restart, which ends its sessions. */
async function isStandby(connection: PostgresConnection): Promise<boolean> {
  const { rows } = await connection.query('SELECT pg_is_in_recovery() AS standby');
  return rows[0]?.standby !== false;
}

/** It may be the primary soon, or the next connection may lead there, so asking again helps. */
function standbyError(): LockError {
  return new BackendUnavailableError(
    'This server is a standby, which gives advisory locks of its own although the primary has given them to others. ' +
      'Nothing was done. Does the address of the pool lead to the primary?',
  );
}

function poolerError(): LockError {
  return new LockError(
    'CONFIG',
    'A session lock needs a connection of its own to PostgreSQL, and there is a pooler in between that may give its ' +
      'session to others: several owners would get the lock. Connect to the server itself, use the lease row (without ' +
      '`session`), or say `sessionPooler: true` if the pooler is in session mode.',
  );
}
