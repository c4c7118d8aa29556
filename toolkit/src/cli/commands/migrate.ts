import { Command } from 'commander';
import { EXIT_CODES } from '../exit-codes.ts';
import { type BackendOptions, endHelpWith, jsonOption, urlOf, urlOption } from '../options.ts';
import { conclude, printJson, printLines } from '../output.ts';

export function migrateCommand(): Command {
  const command = new Command('migrate')
    .summary('make the tables that a database needs')
    .description(
      'Makes the tables and functions of the locks in a PostgreSQL, MySQL or MariaDB. It may be run again: what is there stays as it is.',
    )
    .addOption(urlOption())
    .addOption(jsonOption())
    .action((options: BackendOptions) => conclude(options.json === true, () => migrate(options)));
  return endHelpWith(command, {
    examples: ['holdfast migrate --url postgres://app@db/app'],
    exits: ['done', 'usage', 'unavailable', 'denied', 'config'],
  });
}

async function migrate(options: BackendOptions): Promise<number> {
  const { connect } = await import('../../connect/connect.ts');
  const connection = await connect(urlOf(options), { withoutTables: true });
  try {
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
