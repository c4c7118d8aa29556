/**
 * Runs a statement on a connection of a pool that is taken for it and given back at once. A connection of which no
 * answer comes in time is closed, so that a server which is silent does not use up the pool.
 *
 * @module
 */
import { type Clock, Instant } from '../core/clock.ts';
import { BackendUnavailableError, OutcomeUnknownError } from '../core/errors.ts';

/** A pool of any driver. */
export interface ConnectionSource<Connection> {
  /** As in messages: `PostgreSQL`. */
  readonly what: string;
  take(): Promise<Connection>;
  giveBack(connection: Connection): void;
  /** Closes a connection that is not to be used again. */
  discard(connection: Connection): void;
}

/** So long before its deadline a wait for a connection ends: who asked has one of the same time, and would not hear why. */
export const TELL_MS = 20;

/**
 * Takes a connection. Rejects with UNAVAILABLE just before the deadline, and gives back a connection that comes later than
 * that: nothing was sent on it.
 */
export function takeConnection<Connection>(
  source: ConnectionSource<Connection>,
  clock: Clock,
  deadline: Instant,
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const cancel = clock.callAt(
      Instant.plus(deadline, -TELL_MS),
      () => {
        isLate = true;
        reject(
          new BackendUnavailableError(
            `No connection to ${source.what} in time: the pool has none to spare, or the server does not answer. ` +
              'Nothing was done. In the first case a pool for the locks alone helps, or a larger one.',
          ),
        );
      },
      { keepAlive: true, afterInput: true },
    );
    source.take().then(
      (connection) => {
        cancel();
        if (isLate) source.giveBack(connection);
        else resolve(connection);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}

/** `isBroken` says after which errors a connection is not used again. Rejects with the driver's error. */
export async function useConnection<Connection, Answer>(
  source: ConnectionSource<Connection>,
  clock: Clock,
  deadline: Instant,
  use: (connection: Connection) => Promise<Answer>,
  isBroken: (error: unknown) => boolean,
): Promise<Answer> {
  const connection = await takeConnection(source, clock, deadline);
  return new Promise((resolve, reject) => {
    let isSettled = false;
    const settle = (end: 'giveBack' | 'discard'): boolean => {
      if (isSettled) return false;
      isSettled = true;
      cancel();
      source[end](connection);
      return true;
    };
    const cancel = clock.callAt(
      deadline,
      () => {
        if (settle('discard')) {
          reject(new OutcomeUnknownError(`${source.what} gave no answer in time; it may have been done.`));
        }
      },
      { keepAlive: true, afterInput: true },
    );
    use(connection).then(
      (answer) => {
        if (settle('giveBack')) resolve(answer);
      },
      (error: unknown) => {
        if (settle(isBroken(error) ? 'discard' : 'giveBack')) reject(error);
      },
    );
  });
}
