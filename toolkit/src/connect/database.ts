/**
 * What the databases have in common when a connection is made.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BackendUnavailableError, type Inspects, Instant, LockError, systemClock } from 'holdfast';
import type { Connection, ConnectOptions } from './connection.ts';

/** For a server that does not answer at all, as behind a firewall. */
export const CONNECT_TIMEOUT_MS = 5_000;

/** Between two tries to reach it. */
const RETRY_MS = 250;

/**
 * The connection, when its database has answered and has the tables of Holdfast. Rejects with the `LockError` that
 * says why not, after `patienceMs` of trying; then all is closed.
 */
export async function whenAnswering(
  connection: Connection,
  { patienceMs = 0, signal, withoutTables = false }: ConnectOptions,
): Promise<Connection> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    try {
      await (connection.backend as typeof connection.backend & Inspects).inspect('', soon()); // nobody has asked about a lock
      return connection;
    } catch (error) {
      const code = error instanceof LockError ? error.code : undefined;
      if (code === 'CONFIG' && withoutTables) return connection;
      const isTransient = code === 'UNAVAILABLE' || code === 'OUTCOME_UNKNOWN';
      const isOver = performance.now() >= giveUpAt || signal?.aborted === true;
      if (isOver || !isTransient) {
        await connection.close();
        throw isTransient ? unreachable(connection, error as LockError) : error;
      }
      await sleep(RETRY_MS, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    }
  }
}

/** Runs what makes the table of a guard, and rejects with a `LockError` where the database does not let us. */
export async function makeGuard(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (cause) {
    const { code, errno, message } = cause as { code?: unknown; errno?: unknown; message: string };
    const finding = GUARD_FINDINGS.find(({ codes }) => codes.includes(code) || codes.includes(errno));
    if (finding === undefined) {
      throw new BackendUnavailableError(`The table of the guard was not made: ${message}.`, { cause });
    }
    throw new LockError(finding.means, `The table of the guard was not made: ${message}. ${finding.remedy}`, { cause });
  }
}

/** By the SQLSTATE of PostgreSQL, or the number of an error of MySQL. */
const GUARD_FINDINGS: readonly {
  readonly codes: readonly unknown[];
  readonly means: 'ACCESS_DENIED' | 'CONFIG';
  readonly remedy: string;
}[] = [
  {
    codes: ['42501', 1044, 1142],
    means: 'ACCESS_DENIED',
    remedy: 'Who makes it needs CREATE there; or put the `ddl` of the guard into the migrations of somebody who may.',
  },
  { codes: ['28P01', '28000', 1045, 1698], means: 'ACCESS_DENIED', remedy: 'Are name and password right?' },
  { codes: ['3F000', 1049], means: 'CONFIG', remedy: 'What stands before the dot must be there already.' },
  { codes: ['3D000'], means: 'CONFIG', remedy: 'Is the name of the database right?' },
  {
    codes: ['HANDSHAKE_NO_SSL_SUPPORT'],
    means: 'CONFIG',
    remedy: 'The URL asks for TLS, and this server has none set up.',
  },
];

function unreachable({ description }: Connection, cause: LockError): BackendUnavailableError {
  const text = cause.cause instanceof Error && cause.cause.message !== '' ? cause.cause.message : cause.message;
  return new BackendUnavailableError(
    `${description} cannot be reached: ${text}. Is the server running, and are host and port right?`,
    { cause },
  );
}

function soon(): Instant {
  return Instant.plus(systemClock.now(), CONNECT_TIMEOUT_MS);
}
