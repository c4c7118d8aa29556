import { type Clock, systemRandom } from '../../core/clock.ts';
import { SqlBackend } from '../../sql/backend.ts';
import { toLockError } from '../../sql/failures.ts';
import type { MysqlPool } from './client.ts';
import { connectionsOf, MysqlDatabase, query } from './database.ts';
import { understandMaking } from './failures.ts';
import { ddlStatements } from './statements/statements.ts';

/** The procedure is there already: nothing has to be made. */
const ALREADY_EXISTS = 1304;

/** A procedure is read, and then always runs, in the mode in which it was made: some modes know another language. */
const SQL_MODE = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION';

export class MysqlBackend extends SqlBackend {
  readonly #pool: MysqlPool;

  constructor(pool: MysqlPool, { tokenSource, clock }: { readonly tokenSource: string; readonly clock: Clock }) {
    super(new MysqlDatabase(pool, clock), { clock, random: systemRandom, tokenSource });
    this.#pool = pool;
  }

  /**
   * Makes the tables and procedures that are missing. May be run again, and by many at once; changes no row. Rejects
   * with a `LockError` as any step does: its code is `ACCESS_DENIED` where the user may not make them.
   */
  async createTables(): Promise<void> {
    try {
      await this.#make();
    } catch (error) {
      throw toLockError(error, understandMaking(error), this.id, '');
    }
  }

  async #make(): Promise<void> {
    const connections = connectionsOf(this.#pool);
    const connection = await connections.take();
    try {
      const [session] = await query(connection, 'SELECT @@SESSION.sql_mode AS mode');
      await query(connection, `SET SESSION sql_mode = '${SQL_MODE}'`);
      for (const statement of ddlStatements) {
        await connection.query(statement).catch((error: { errno?: unknown }) => {
          if (error.errno !== ALREADY_EXISTS) throw error;
        });
      }
      await query(connection, `SET SESSION sql_mode = '${String(session?.mode)}'`);
    } catch (error) {
      connections.discard(connection);
      throw error;
    }
    connections.giveBack(connection);
  }
}
