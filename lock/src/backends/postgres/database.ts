/**
 * Runs statements on the client that was handed in. With a pool, each runs on a connection that is taken for it; one
 * that breaks while we have it is nobody's unhandled error.
 *
 * @module
 */
import { type Clock, Instant } from '../../core/clock.ts';
import { BackendUnavailableError } from '../../core/errors.ts';
import { type ConnectionSource, takeConnection, useConnection } from '../../sql/connections.ts';
import type { SqlDatabase, SqlFailure, SqlRow, SqlStatements, SqlValue } from '../../sql/database.ts';
import { isPool, type PostgresConnection, type PostgresPool, type PostgresQueries } from './client.ts';
import { understand } from './failures.ts';
import { followStatus, isInTransaction, LeftOpenError } from './left-open.ts';
import { statements } from './statements/statements.ts';

/** A connection of our own, which is lent to one statement at a time. */
export interface OwnConnection extends ConnectionSource<PostgresConnection> {
  /** Whether it is open, and nothing is being asked on it. */
  readonly isFree: boolean;
}

/** How long the pool is waited for where there is a connection of our own: a share of the time for the call. */
const PATIENCE = 1 / 4;

export class PostgresDatabase implements SqlDatabase {
  /** Where statements go for which the pool has no connection in time, since bodies have taken them all. */
  own: OwnConnection | undefined;
  readonly id = 'postgres';
  readonly statements: SqlStatements;
  readonly #client: PostgresQueries;
  readonly #connections: ConnectionSource<PostgresConnection> | undefined;
  readonly #clock: Clock;

  constructor(client: PostgresQueries, prefix: string, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
    this.statements = statements(prefix);
    if (!isPool(client)) return;
    this.#connections = connectionsOf(client);
  }

  async run(statement: string, values: readonly SqlValue[], deadline: Instant): Promise<readonly SqlRow[]> {
    if (this.#connections === undefined) return (await this.#client.query(statement, [...values])).rows;
    const query = async (connection: PostgresConnection): Promise<{ rows: SqlRow[] }> => {
      const answer = await connection.query(statement, [...values]);
      // Who gave the connection back may have had a BEGIN under way.
      if (isInTransaction(connection)) throw new LeftOpenError();
      return answer;
    };
    // An error that the server answered leaves the connection as good as it was. But one that leads to a standby would
    // lead there for ever, and the pool, which finds nothing wrong with it, hand it out again and again.
    const isBroken = (error: unknown): boolean => {
      const { kind, elsewhere } = understand(error);
      return kind === 'unknown' || elsewhere === true;
    };
    const { own } = this;
    let source: ConnectionSource<PostgresConnection> = this.#connections;
    if (own?.isFree) {
      // Our own may have been lost meanwhile, or be asked by another; then the pool is all there is.
      source = (await this.#withoutWaiting(source, deadline)) ?? (own.isFree ? own : source);
    }
    return (await useConnection(source, this.#clock, deadline, query, isBroken)).rows;
  }

  /** The source with a connection that it had in time; undefined if it has none to spare. */
  async #withoutWaiting(
    connections: ConnectionSource<PostgresConnection>,
    deadline: Instant,
  ): Promise<ConnectionSource<PostgresConnection> | undefined> {
    const now = this.#clock.now();
    try {
      const connection = await takeConnection(connections, this.#clock, Instant.plus(now, (deadline - now) * PATIENCE));
      return { ...connections, take: () => Promise.resolve(connection) };
    } catch (error) {
      if (error instanceof BackendUnavailableError) return undefined;
      throw error;
    }
  }

  understand(error: unknown): SqlFailure {
    return understand(error);
  }

  async close(): Promise<void> {
    // The pool stays open: it was handed in.
  }
}

/** Pools whose new connections are listened to, and connections that are. */
const heard: WeakSet<object> = new WeakSet();

/**
 * A pool of `pg` as a source of connections whose errors have a listener from their first moment on: one that the
 * server ends in the very instant in which it is handed out would otherwise end the process. So would one that it ends
 * while it is idle, or when we have just given it up, which the pool reports; its listener stays.
 */
export function connectionsOf(pool: PostgresPool): ConnectionSource<PostgresConnection> {
  if (!heard.has(pool)) {
    heard.add(pool);
    pool.on('connect', listenForErrors);
    pool.on('error', ignore);
  }
  return {
    what: 'PostgreSQL',
    async take() {
      for (;;) {
        const connection = await pool.connect();
        listenForErrors(connection); // it may be older than our listener on the pool
        if (!isInTransaction(connection)) return connection;
        connection.release(true);
      }
    },
    giveBack: (connection) => connection.release(),
    discard: (connection) => connection.release(true),
  };
}

function listenForErrors(connection: Pick<PostgresConnection, 'on'>): void {
  if (heard.has(connection)) return;
  heard.add(connection);
  connection.on('error', ignore);
  followStatus(connection);
}

function ignore(): void {
  // Whoever was waiting for an answer on that connection has got the error.
}
