/**
 * The benchmark for PostgreSQL and MariaDB: starts a server, measures, prints. Everything that it starts ends with it.
 *
 * @module
 */
import type { Reaper } from '../../lab/reaper.ts';
import { findServers } from '../../lab/servers/find-server.ts';
import { MariadbServer } from '../../lab/servers/mariadb.ts';
import { PostgresServer } from '../../lab/servers/postgres.ts';
import { runKindsBench } from '../kinds-bench.ts';
import { openAdvisoryLock } from '../sql/advisory-lock.ts';
import { openMysql, openPostgres } from '../sql/database.ts';
import {
  type HandOverFigures,
  measureHandOver,
  measureHeld,
  measurePairs,
  measureRecovery,
  measureWaiting,
} from '../sql/measures.ts';
import { type DatabaseFigures, describeSql } from '../sql/tables.ts';

type Kind = 'postgres' | 'mysql';

await runKindsBench({
  script: 'bench:sql',
  about: "Measures Holdfast's locks on a PostgreSQL and a MariaDB against the bare statements through the same driver.",
  kinds: ['postgres', 'mysql'],
  quickRounds: 3,
  measure,
  describe: (databases, circumstances) => describeSql({ ...circumstances, databases }),
});

async function measure(kind: Kind, reaper: Reaper, rounds: number): Promise<DatabaseFigures> {
  const program = findServers()[kind];
  if ('missing' in program) throw new Error(program.missing);
  const say = (what: string): unknown => process.stderr.write(`holdfast bench: ${kind}, ${what}\n`);
  say('starting');
  const use = { reaper, program: program.file, folder: reaper.folder };
  const server = await (kind === 'postgres' ? PostgresServer : MariadbServer).start(use);
  const database = await (kind === 'postgres' ? openPostgres : openMysql)(server.url);
  try {
    say('pairs');
    const theirs = kind === 'postgres' ? await openAdvisoryLock(server.url) : { pairs: {} };
    const pairs = await measurePairs(database, rounds, 400, theirs.pairs);
    const handOvers: HandOverFigures[] = [];
    for (const waiters of [10, 100]) {
      say(`hand-over, ${waiters} waiters`);
      handOvers.push(await measureHandOver(database, waiters, rounds));
    }
    say('a thousand waiters');
    const waiting = await measureWaiting(database, 1_000, 10_000);
    say('a thousand held locks');
    const held = await measureHeld(database, 1_000, 30_000, 2);
    say('killed holders');
    const recovery = await measureRecovery(database, server.url, rounds, reaper);
    const { leftOut } = theirs;
    return {
      server: `${server.name} ${server.version}`,
      pairs,
      ...(leftOut ? { leftOut } : {}),
      handOvers,
      waiting,
      held,
      recovery,
    };
  } finally {
    await database.close();
    await server.stop();
  }
}
