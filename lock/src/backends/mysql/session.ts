/**
 * GET_LOCK of MySQL and MariaDB on a pinned connection.
 *
 * Only the answer 1 is a yes: 0 means that another session has it, NULL that something went wrong. The server ends a
 * session that is silent for too long (`wait_timeout`), later than our own side gives up; by itself it would find a
 * link that was cut without a word only through its kernel, after two hours. Limits of statement time are switched off.
 *
 * A replica gives named locks as well, and to others than the primary does; and a primary that is made one keeps its
 * sessions. So every answer says whether the server is read-only, and if it is, all that is held there is over.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { BackendUnavailableError, LockError } from '../../core/errors.ts';
import type { ConnectionSource } from '../../sql/connections.ts';
import type { SqlFailure, SqlRow } from '../../sql/database.ts';
import { SERVER_SILENT_MS, type SessionDatabase } from '../../sql/session-backend.ts';
import type { MysqlConnection, MysqlPool } from './client.ts';
import { connectionsOf, query } from './database.ts';
import { understand } from './failures.ts';

/** ER_QUERY_INTERRUPTED, which is what NULL stands for. */
const INTERRUPTED = 1317;

const ABOUT_THE_SERVER = 'CONNECTION_ID() AS id, @@GLOBAL.read_only AS read_only';

const GALERA = 'a node of a Galera cluster (wsrep_on)';
const GROUP_REPLICATION = 'set up for a group with several primaries (group_replication_single_primary_mode is OFF)';

/** A number on most servers; MariaDB 12 has names. */
const WRITABLE: ReadonlySet<string> = new Set(['0', 'OFF']);

export interface MysqlSessionSettings {
  readonly namespace: string;
  /** Locks that hold on this one server are what is wanted, be it a node of a cluster or a replica. */
  readonly nodeLocal: boolean;
}

export class MysqlSessions implements SessionDatabase<MysqlConnection> {
  readonly id = 'mysql-session';
  readonly connections: ConnectionSource<MysqlConnection>;
  readonly #settings: MysqlSessionSettings;
  readonly #sessions: WeakMap<MysqlConnection, string> = new WeakMap();

  constructor(pool: MysqlPool, settings: MysqlSessionSettings) {
    this.connections = connectionsOf(pool);
    this.#settings = settings;
  }

  async prepare(connection: MysqlConnection): Promise<void> {
    const variables = await query(
      connection,
      `SHOW VARIABLES WHERE Variable_name IN ('wsrep_on', 'group_replication_single_primary_mode', 'innodb_read_only',
        'max_statement_time', 'max_execution_time')`,
    );
    const values = new Map(variables.map((row) => [String(row.Variable_name), String(row.Value)]));
    if (values.get('wsrep_on') === 'ON' && !this.#settings.nodeLocal) throw nodeLocalError(GALERA);
    if (values.get('group_replication_single_primary_mode') === 'OFF' && !this.#settings.nodeLocal) {
      throw nodeLocalError(GROUP_REPLICATION);
    }
    if (values.get('innodb_read_only') === 'ON' && !this.#settings.nodeLocal) throw readOnlyError();
    await query(connection, `SET SESSION wait_timeout = ${Math.ceil(SERVER_SILENT_MS / 1_000)}`);
    for (const name of ['max_statement_time', 'max_execution_time']) {
      if (values.has(name)) await query(connection, `SET SESSION ${name} = 0`);
    }
    const [row] = await query(connection, 'SELECT CONNECTION_ID() AS id');
    this.#sessions.set(connection, String(row?.id));
    await this.probe(connection);
  }

  /** A hash: names of locks there have 64 characters at most, and on some servers no case. */
  keyOf(name: string): string {
    return createHash('sha256').update(`holdfast\0${this.#settings.namespace}\0${name}`).digest('hex');
  }

  async lock(connection: MysqlConnection, key: string): Promise<boolean> {
    const { answer } = await this.#ask(connection, 'GET_LOCK(?, 0)', [key]);
    if (answer === null) {
      const reason = 'GET_LOCK answered NULL: it was interrupted, or the server is out of memory';
      throw Object.assign(new Error(reason), { errno: INTERRUPTED });
    }
    return Number(answer) === 1;
  }

  async unlock(connection: MysqlConnection, key: string): Promise<boolean> {
    return Number((await this.#ask(connection, 'RELEASE_LOCK(?)', [key])).answer) === 1;
  }

  async probe(connection: MysqlConnection): Promise<void> {
    await this.#ask(connection, '1', []);
  }

  understand(error: unknown): SqlFailure {
    return understand(error);
  }

  /** Every answer names the session: another one than at the start means that a proxy shares it. */
  async #ask(connection: MysqlConnection, expression: string, values: string[]): Promise<SqlRow> {
    const [row] = await query(connection, `SELECT ${ABOUT_THE_SERVER}, ${expression} AS answer`, values);
    if (String(row?.id) !== this.#sessions.get(connection)) throw proxyError();
    if (!this.#settings.nodeLocal && !WRITABLE.has(String(row?.read_only))) throw readOnlyError();
    return row as SqlRow;
  }
}

function nodeLocalError(cluster: string): LockError {
  return new LockError(
    'CONFIG',
    `This server is ${cluster}, where GET_LOCK is node-local: each node would give the lock to somebody. ` +
      'Use the lease row (without `session`), or say `nodeLocal: true` if all programs use one node.',
  );
}

/** Another server may be the primary, or become it, so asking again helps. */
function readOnlyError(): LockError {
  return new BackendUnavailableError(
    'This server is read-only: a replica, or a primary that is being replaced, where GET_LOCK gives locks that the ' +
      'primary gives to others. Does the address of the pool lead to the primary? `nodeLocal: true` says that all programs use this one server.',
  );
}

function proxyError(): LockError {
  return new LockError(
    'CONFIG',
    'A session lock needs a connection of its own, and a proxy in between has given us another session. Connect to the ' +
      'server itself, or use the lease row (without `session`).',
  );
}
