/**
 * What PostgreSQL and its driver say when something fails, in the words of Holdfast.
 *
 * A statement is a transaction of its own here. So an error that the server answered means that nothing was done; a
 * connection that ended before the answer means that nobody knows.
 *
 * @module
 */
import type { SqlFailure } from '../../sql/database.ts';
import { LeftOpenError } from './left-open.ts';

const CREATE_TABLES =
  'The tables and functions of Holdfast are not there: run `await backend.createTables()` once, `holdfast migrate`, or put `ddl()` into your migrations.';

const UNKNOWN_CHARACTER: SqlFailure = {
  kind: 'config',
  remedy:
    'The encoding of this database has no such character, be it in the name, the purpose or the host name. A database in UTF8 has them all; a hash of the name would do.',
};

/** Undone with the transaction of somebody else, which ends when the connection is closed. */
const LEFT_OPEN: SqlFailure = {
  kind: 'again',
  remedy: 'A transaction needs its COMMIT or ROLLBACK before its connection goes back to the pool.',
  elsewhere: true,
};

/** By SQLSTATE, or by its class of two letters. */
const FINDINGS: Readonly<Record<string, SqlFailure>> = {
  '40001': { kind: 'again', remedy: '' }, //  serialization failure
  '40P01': { kind: 'again', remedy: '' }, //  deadlock
  '55P03': { kind: 'again', remedy: '' }, //  lock_timeout
  '25P02': LEFT_OPEN,
  '42P01': { kind: 'config', remedy: CREATE_TABLES }, //  no such table
  '42704': {
    kind: 'config',
    remedy: 'The functions were made for another schema: run `createTables()` with the same option `schema`.',
  }, //  no such type
  '42883': { kind: 'config', remedy: CREATE_TABLES }, //  no such function
  '3F000': { kind: 'config', remedy: 'Is the option `schema` right?' },
  '42703': {
    kind: 'config',
    remedy: 'Tables of these names exist and are not those of Holdfast; the option `schema` names another place.',
  },
  '22021': UNKNOWN_CHARACTER,
  '22P05': UNKNOWN_CHARACTER,
  '3D000': { kind: 'config', remedy: 'Is the name of the database right?' },
  '42501': {
    kind: 'denied',
    remedy:
      'The role needs USAGE on the schema, EXECUTE on the functions, and SELECT, INSERT, UPDATE and DELETE on the tables.',
  },
  '28': { kind: 'denied', remedy: 'Are name and password right, and does pg_hba.conf allow them?' },
  '25006': {
    kind: 'refused',
    remedy: 'The server is a standby or read-only; locks need the primary.',
    elsewhere: true,
  },
  '57014': { kind: 'refused', remedy: 'Is statement_timeout too short?' },
  '57P03': { kind: 'refused', remedy: 'The server is starting or stopping.' },
  '53': { kind: 'refused', remedy: 'The server has no room left for it: connections, memory or disk.' },
};

/** Errors of the network that come before anything was sent. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT']);

/** Messages of `pg` that mean the same. */
const NEVER_SENT_TEXT = /timeout exceeded when trying to connect|connection timeout|after calling end on the pool/;

export function understand(error: unknown): SqlFailure {
  if (error instanceof LeftOpenError) return LEFT_OPEN;
  const { code, severity, message } = error as { code?: unknown; severity?: unknown; message?: unknown };
  if (typeof code === 'string') {
    if (NEVER_SENT.has(code)) return { kind: 'refused', remedy: 'Is the server running, and reachable from here?' };
    const finding = FINDINGS[code] ?? FINDINGS[code.slice(0, 2)];
    if (finding !== undefined) return finding;
    // FATAL ends the connection, and may come after a commit.
    if (/^[0-9A-Z]{5}$/.test(code) && severity === 'ERROR') return { kind: 'refused', remedy: '' };
  }
  if (typeof message === 'string' && NEVER_SENT_TEXT.test(message)) {
    return { kind: 'refused', remedy: 'Is the server reachable, and does the pool have connections to spare?' };
  }
  return { kind: 'unknown', remedy: 'The connection ended before the answer came.' };
}

/** The same where tables are made, which takes other rights than a step. */
export function understandMaking(error: unknown): SqlFailure {
  const failure = understand(error);
  if ((error as { code?: unknown }).code !== '42501') return failure;
  return {
    ...failure,
    remedy:
      'Who makes the tables needs CREATE and USAGE on the schema, once; or put `ddl()` into the migrations of somebody who may.',
  };
}
