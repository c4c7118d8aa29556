/**
 * What MySQL, MariaDB and their drivers say when something fails, in the words of Holdfast.
 *
 * @module
 */
import type { SqlFailure } from '../../sql/database.ts';

const CREATE_TABLES =
  'The tables and procedures of Holdfast are not there: run `await backend.createTables()` once, `holdfast migrate`, or put `ddl()` into your migrations.';
const GRANTS = 'The user needs SELECT, INSERT, UPDATE, DELETE and EXECUTE on the database of the tables.';
const INTERRUPTED = 'The statement was interrupted: is max_statement_time too short, or did somebody KILL it?';

/** By the number of the error. */
const FINDINGS: Readonly<Record<number, SqlFailure>> = {
  1213: { kind: 'again', remedy: '' }, // deadlock
  1205: { kind: 'again', remedy: '' }, // innodb_lock_wait_timeout
  3101: { kind: 'again', remedy: '' }, // Group Replication: another primary has changed the row
  1020: { kind: 'again', remedy: '' }, // innodb_snapshot_isolation
  1146: { kind: 'config', remedy: CREATE_TABLES },
  1305: { kind: 'config', remedy: CREATE_TABLES },
  1064: {
    kind: 'config',
    remedy:
      'MySQL from 8.0 or MariaDB from 10.6 on understands it, unless the pool rewrites statements (`queryFormat` of mysql2): locks need a pool that does not.',
  },
  1049: { kind: 'config', remedy: 'Is the name of the database right?' },
  1046: { kind: 'config', remedy: 'The pool needs the name of the database.' },
  1054: {
    kind: 'config',
    remedy: 'Tables of these names exist and are not those of Holdfast; another database is needed.',
  },
  1175: { kind: 'config', remedy: 'sql_safe_updates must be off on the connections of this pool.' },
  1665: { kind: 'config', remedy: 'binlog_format must be ROW or MIXED.' },
  1235: { kind: 'config', remedy: 'This server does not support it; see the documentation of this backend.' },
  1044: { kind: 'denied', remedy: GRANTS },
  1045: { kind: 'denied', remedy: 'Are name and password right?' },
  1142: { kind: 'denied', remedy: GRANTS },
  1143: { kind: 'denied', remedy: GRANTS },
  1370: { kind: 'denied', remedy: GRANTS },
  1698: { kind: 'denied', remedy: 'Are name and password right?' },
  1047: { kind: 'refused', remedy: 'The node is not in step with its Galera cluster, or is cut off from most of it.' },
  1040: { kind: 'refused', remedy: 'The server has no connection to spare (max_connections).' },
  1203: { kind: 'refused', remedy: 'The server has no connection to spare for this user.' },
  1290: { kind: 'refused', remedy: 'The server is read-only; locks need the primary.' },
  1792: { kind: 'refused', remedy: 'The session is read-only (transaction_read_only); locks are written.' },
  1836: { kind: 'refused', remedy: 'The server is read-only; locks need the primary.' },
  1114: { kind: 'refused', remedy: 'The disk of the server is full.' },
  1317: { kind: 'unknown', remedy: INTERRUPTED, interrupted: true },
  1969: { kind: 'unknown', remedy: INTERRUPTED, interrupted: true },
  3024: { kind: 'unknown', remedy: INTERRUPTED, interrupted: true },
};

/** By the code of `mysql2`, of errors that come before the name and the password are sent. */
const TLS_FINDINGS: Readonly<Record<string, SqlFailure>> = {
  HANDSHAKE_NO_SSL_SUPPORT: { kind: 'config', remedy: 'The client asks for TLS, and this server has none set up.' },
  HANDSHAKE_SSL_ERROR: {
    kind: 'refused',
    remedy:
      'TLS was not agreed on: is the certificate made out to this host, by an authority that is known here (`NODE_EXTRA_CA_CERTS` adds one)?',
  },
};

/** Errors that come before anything was sent. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT']);
const NEVER_SENT_TEXT = /pool is closed|No connections available|pool timeout|retrieve connection from pool/i;

export function understand(error: unknown): SqlFailure {
  const { errno, code, message, cause } = error as {
    errno?: unknown;
    code?: unknown;
    message?: unknown;
    cause?: unknown;
  };
  if (typeof code === 'string' && NEVER_SENT.has(code)) {
    return { kind: 'refused', remedy: 'Is the server running, and reachable from here?' };
  }
  if (typeof code === 'string' && TLS_FINDINGS[code] !== undefined) return TLS_FINDINGS[code];
  if (typeof errno === 'number' && FINDINGS[errno] !== undefined) return FINDINGS[errno];
  if (typeof message === 'string' && NEVER_SENT_TEXT.test(message)) {
    const reason = cause instanceof Error ? understand(cause) : undefined;
    if (reason !== undefined && reason.kind !== 'unknown') return reason;
    return { kind: 'refused', remedy: 'Is the server reachable, and does the pool have connections to spare?' };
  }
  return { kind: 'unknown', remedy: 'There was no answer that says whether it was done.' };
}

/** The same where tables and procedures are made, which takes other rights than a step. */
export function understandMaking(error: unknown): SqlFailure {
  const failure = understand(error);
  if (failure.remedy !== GRANTS) return failure;
  return {
    ...failure,
    remedy:
      'Who makes the tables needs CREATE and CREATE ROUTINE on the database, once; or put `ddl()` into the migrations of somebody who may.',
  };
}
