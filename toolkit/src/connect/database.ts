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
      await (connection.backend as typeof connection.backend & Inspects).inspect('holdfast', soon());
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
