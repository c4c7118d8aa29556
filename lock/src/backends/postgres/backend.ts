import { type Clock, systemRandom } from '../../core/clock.ts';
import { SqlBackend } from '../../sql/backend.ts';
import type { SqlNews } from '../../sql/database.ts';
import { toLockError } from '../../sql/failures.ts';
import { isPool, type PostgresPool, type PostgresQueries } from './client.ts';
import { PostgresDatabase } from './database.ts';
import { understandMaking } from './failures.ts';
import { PostgresInbox } from './inbox.ts';
import { ddl } from './statements/statements.ts';

export interface PostgresBackendSettings {
  /** The schema with its dot, or nothing. */
  readonly prefix: string;
  readonly listen: boolean;
  readonly tokenSource: string;
  readonly clock: Clock;
}

export class PostgresBackend extends SqlBackend {
  readonly #client: PostgresQueries;
  readonly #prefix: string;

  constructor(client: PostgresQueries, { prefix, listen, tokenSource, clock }: PostgresBackendSettings) {
    const database = new PostgresDatabase(client, prefix, clock);
    const random = systemRandom;
    const inbox = (news: SqlNews): PostgresInbox => {
      const line = new PostgresInbox(client as PostgresPool, clock, random, news);
      database.own = line;
      return line;
    };
    super(database, { clock, random, tokenSource, ...(listen && isPool(client) ? { inbox } : {}) });
    this.#client = client;
    this.#prefix = prefix;
  }

  /**
   * Makes the tables and functions that are missing. May be run again, and by many at once; changes no row. Rejects
   * with a `LockError` as any step does: its code is `ACCESS_DENIED` where the role may not make them.
   */
  async createTables(): Promise<void> {
    // One simple query, and so one transaction. The advisory lock keeps two of these from making the same thing twice.
    const statements = `SELECT pg_advisory_xact_lock(7238001);${ddl(this.#prefix)}`;
    try {
      await this.#client.query(statements);
    } catch (error) {
      throw toLockError(error, understandMaking(error), this.id, '');
    }
  }
}
