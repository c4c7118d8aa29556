import { type Clock, systemRandom } from '../../core/clock.ts';
import { SqlBackend } from '../../sql/backend.ts';
import type { MysqlPool } from './client.ts';
import { connectionsOf, MysqlDatabase } from './database.ts';
import { ddlStatements } from './statements/statements.ts';

/** The procedure is there already: nothing has to be made. */
const ALREADY_EXISTS = 1304;

export class MysqlBackend extends SqlBackend {
  readonly #pool: MysqlPool;

  constructor(pool: MysqlPool, { tokenSource, clock }: { readonly tokenSource: string; readonly clock: Clock }) {
    super(new MysqlDatabase(pool, clock), { clock, random: systemRandom, tokenSource });
    this.#pool = pool;
  }

  /**
   * Makes the tables and procedures that are missing. May be run again, and by many at once; changes no row. Rejects
   * with the driver's own error.
   */
  async createTables(): Promise<void> {
    const connections = connectionsOf(this.#pool);
    const connection = await connections.take();
    try {
      for (const statement of ddlStatements) {
        await connection.query(statement).catch((error: { errno?: unknown }) => {
          if (error.errno !== ALREADY_EXISTS) throw error;
        });
      }
    } finally {
      connections.giveBack(connection);
    }
  }
}
