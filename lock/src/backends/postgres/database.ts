/**
 * Runs statements on the pool that was handed in, each on a connection that is taken for it and given back at once.
 *
 * A connection of which no answer comes in time is closed, so that a server which is silent does not use up the pool;
 * and one that breaks while we have it is nobody's unhandled error.
 *
 * @module
 */
import type { Clock, Instant } from '../../core/clock.ts';
import { BackendUnavailableError, OutcomeUnknownError } from '../../core/errors.ts';
import type { SqlDatabase, SqlFailure, SqlRow, SqlStatements, SqlValue } from '../../sql/database.ts';
import { isPool, type PostgresConnection, type PostgresPool, type PostgresQueries } from './client.ts';
import { understand } from './failures.ts';
import { statements } from './statements/statements.ts';

const ignore = (): void => undefined;

export class PostgresDatabase implements SqlDatabase {
  readonly id = 'postgres';
  readonly statements: SqlStatements;
  readonly #client: PostgresQueries;
  readonly #clock: Clock;

  constructor(client: PostgresQueries, prefix: string, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
    this.statements = statements(prefix);
    if (isPool(client)) client.on('error', ignore); // an idle connection that ends is no reason to end the process
  }

  run(statement: string, values: readonly SqlValue[], deadline: Instant): Promise<readonly SqlRow[]> {
    if (isPool(this.#client)) return this.#runOnConnection(this.#client, statement, values, deadline);
    return this.#client.query(statement, [...values]).then(({ rows }) => rows);
  }

  understand(error: unknown): SqlFailure {
    return understand(error);
  }

  async close(): Promise<void> {
    if (isPool(this.#client)) this.#client.removeListener('error', ignore);
  }

  async #runOnConnection(
    pool: PostgresPool,
    statement: string,
    values: readonly SqlValue[],
    deadline: Instant,
  ): Promise<readonly SqlRow[]> {
    const connection = await takeConnection(pool, this.#clock, deadline);
    return new Promise((resolve, reject) => {
      let isSettled = false;
      const settle = (destroy: boolean): boolean => {
        if (isSettled) return false;
        isSettled = true;
        cancel();
        connection.release(destroy);
        if (!destroy) connection.removeListener('error', ignore); // a closed one may complain once more
        return true;
      };
      const cancel = this.#clock.callAt(
        deadline,
        () => {
          if (settle(true))
            reject(new OutcomeUnknownError('PostgreSQL gave no answer in time; it may have been done.'));
        },
        { keepAlive: true },
      );
      connection.on('error', ignore);
      connection.query(statement, [...values]).then(
        ({ rows }) => {
          if (settle(false)) resolve(rows);
        },
        (error: unknown) => {
          // An error that the server answered leaves the connection as good as it was.
          if (settle(understand(error).kind === 'unknown')) reject(error);
        },
      );
    });
  }
}

/**
 * Takes a connection out of a pool. Rejects with UNAVAILABLE at the deadline, and gives a connection back that comes
 * later than that: nothing was sent on it.
 */
export function takeConnection(pool: PostgresPool, clock: Clock, deadline: Instant): Promise<PostgresConnection> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const cancel = clock.callAt(
      deadline,
      () => {
        isLate = true;
        reject(
          new BackendUnavailableError(
            'No connection to PostgreSQL in time: the pool has none to spare, or the server does not answer. ' +
              'Nothing was done. A larger `max` of the pool helps in the first case.',
          ),
        );
      },
      { keepAlive: true },
    );
    pool.connect().then(
      (connection) => {
        cancel();
        if (isLate || clock.now() >= deadline) connection.release();
        else resolve(connection);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}
