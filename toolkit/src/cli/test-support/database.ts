import { Reaper } from '../../lab/reaper.ts';
import { findServers } from '../../lab/servers/find-server.ts';
import { MariadbServer } from '../../lab/servers/mariadb.ts';
import { PostgresServer } from '../../lab/servers/postgres.ts';

/** Why there is no such server here; undefined if there is one. */
export function missingDatabase(kind: 'postgres' | 'mysql'): string | undefined {
  const program = findServers()[kind];
  return 'missing' in program ? program.missing : undefined;
}

/** One database server of the lab for a test: on a free loopback port, in a temporary folder, gone when it is stopped. */
export class TestDatabase {
  readonly #reaper: Reaper;
  readonly #server: PostgresServer | MariadbServer;

  private constructor(reaper: Reaper, server: PostgresServer | MariadbServer) {
    this.#reaper = reaper;
    this.#server = server;
  }

  /** Further arguments are for a MariaDB. */
  static async start(kind: 'postgres' | 'mysql', args: readonly string[] = []): Promise<TestDatabase> {
    const program = findServers()[kind];
    if ('missing' in program) throw new Error(program.missing);
    const reaper = await Reaper.start();
    try {
      const use = { reaper, program: program.file, folder: reaper.folder };
      const server = kind === 'postgres' ? PostgresServer.start(use) : MariadbServer.start({ ...use, args });
      return new TestDatabase(reaper, await server);
    } catch (error) {
      await reaper.close();
      throw error;
    }
  }

  get url(): string {
    return this.#server.url;
  }

  /** The first value of the answer. */
  ask(statement: string): Promise<string> {
    return this.#server.ask(statement);
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await this.#reaper.close();
  }
}
