import { Command } from 'commander';
import type { Connection } from '../../connect/connection.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { asUsage } from '../failure.ts';
import { type BackendOptions, endHelpWith, jsonOption, urlOf, urlOption } from '../options.ts';
import { conclude, printJson, printLines } from '../output.ts';
import { UsageError } from '../usage.ts';

interface MigrateOptions extends BackendOptions {
  /** True: under its usual name. */
  readonly guard?: string | true;
}

export function migrateCommand(): Command {
  const command = new Command('migrate')
    .summary('make the tables that a database needs')
    .description(
      'Makes the tables and functions of the locks in a PostgreSQL, MySQL or MariaDB. It may be run again: what is there stays as it is.',
    )
    .addOption(urlOption())
    .option('--guard [table]', 'make the table of the guard instead (default name: holdfast_fence)')
    .addOption(jsonOption())
    .action((options: MigrateOptions) => conclude(options.json === true, () => migrate(options)));
  return endHelpWith(command, {
    examples: [
      'holdfast migrate --url postgres://app@db/app',
      'holdfast migrate --url postgres://app@db/app --guard',
      'holdfast migrate --url mysql://app@db/app --guard order_tokens',
    ],
    exits: ['done', 'usage', 'unavailable', 'denied', 'config'],
    notes: [
      'The table of the guard belongs in the database of your data, wherever the locks are: --url is then that database, and no table of the locks is made in it.',
    ],
  });
}

async function migrate(options: MigrateOptions): Promise<number> {
  const { connect } = await import('../../connect/connect.ts');
  const connection = await connect(urlOf(options), { withoutTables: true });
  try {
    if (options.guard !== undefined) return await makeGuardTable(connection, options);
    await connection.createTables?.();
  } finally {
    await connection.close();
  }
  const made = connection.createTables !== undefined;
  const text = made
    ? `The tables are there: ${connection.description}`
    : 'Nothing to make: these locks need no tables.';
  if (options.json) printJson({ migrated: made });
  else printLines([text]);
  return EXIT_CODES.done.code;
}

async function makeGuardTable({ guardTable, description }: Connection, options: MigrateOptions): Promise<number> {
  if (guardTable === undefined) {
    throw new UsageError(
      `--guard makes a table in PostgreSQL, MySQL or MariaDB, and ${description} is none of them. A guard in Redis needs no table; for one in SQLite run its \`ddl\`.`,
    );
  }
  const table = options.guard === true ? undefined : options.guard;
  await guardTable.make(asUsage(() => guardTable.ddl(table)));
  if (options.json) printJson({ migrated: true });
  else printLines([`The table of the guard is there: ${description}`]);
  return EXIT_CODES.done.code;
}
