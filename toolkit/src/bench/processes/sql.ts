/**
 * The benchmark for PostgreSQL and MariaDB: starts a server, measures, prints. Everything that it starts ends with it.
 *
 * @module
 */
import { parseArgs } from 'node:util';
import type { Reaper } from '../../lab/reaper.ts';
import { findServers } from '../../lab/servers/find-server.ts';
import { MariadbServer } from '../../lab/servers/mariadb.ts';
import { PostgresServer } from '../../lab/servers/postgres.ts';
import { publish, roundsOf } from '../publish.ts';
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

const KINDS = ['postgres', 'mysql'] as const;
type Kind = (typeof KINDS)[number];

const HELP = `Measures Holdfast's locks on a PostgreSQL and a MariaDB against the bare statements through the same driver.

  npm run bench:sql -- [options]

  --quick           fewer rounds: to see that it works, not to publish
  --rounds N        alternating rounds for each comparison (15)
  --only KIND       ${KINDS.join(' or ')}
  --markdown FILE   writes the tables into this page, in place of those it has
`;

await main().catch((error: unknown) => {
  process.stderr.write(`holdfast bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      only: { type: 'string' },
      markdown: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  const rounds = roundsOf(options.rounds, options.quick ? 3 : 15);
  const kinds = options.only === undefined ? KINDS : KINDS.filter((kind) => kind === options.only);
  if (kinds.length === 0) throw new RangeError(`--only must be ${KINDS.join(' or ')}.`);
  await publish({
    script: 'bench:sql',
    rounds,
    markdown: options.markdown,
    measure: async (reaper) => {
      const databases: DatabaseFigures[] = [];
      for (const kind of kinds) databases.push(await measure(kind, reaper, rounds));
      return databases;
    },
    describe: (databases, circumstances) => describeSql({ ...circumstances, databases }),
  });
}

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
    const pairs = await measurePairs(database, rounds, 400);
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
    return { server: `${server.name} ${server.version}`, pairs, handOvers, waiting, held, recovery };
  } finally {
    await database.close();
    await server.stop();
  }
}
