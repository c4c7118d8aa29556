/**
 * The program `holdfast`: its commands, and what is the same for all of them.
 *
 * @module
 */
import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { adviseCommand } from './commands/advise.ts';
import { benchCommand } from './commands/bench.ts';
import { breakCommand } from './commands/break.ts';
import { checkupCommand } from './commands/checkup.ts';
import { lsCommand } from './commands/ls.ts';
import { migrateCommand } from './commands/migrate.ts';
import { runCommand } from './commands/run.ts';
import { whoCommand } from './commands/who.ts';
import { EXIT_CODES, exitCodeLines } from './exit-codes.ts';
import { warn } from './stderr.ts';
import { withoutPasswords } from './text.ts';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

const program = new Command('holdfast')
  .description(
    'Distributed locks that tell you when they are lost: choose one, examine one, run a command under one, see who holds one.',
  )
  .version(version, '--version', 'print the version')
  .helpOption('-h, --help', 'print this help')
  // What stands after the name of a command is its own, down to commands of commands.
  .enablePositionalOptions()
  .addHelpText(
    'after',
    `\nExit codes:\n${exitCodeLines().join('\n')}\n\nholdfast <command> --help has options and examples.`,
  );

const commands = [
  checkupCommand(),
  benchCommand(),
  adviseCommand(),
  runCommand(),
  lsCommand(),
  whoCommand(),
  breakCommand(),
  migrateCommand(),
];
for (const command of commands) program.addCommand(command);

for (const command of [program, ...commands, ...commands.flatMap((command) => command.commands)]) {
  command.exitOverride().configureOutput({
    outputError: (text, write) => write(withoutPasswords(text).replace(/^error: /, 'holdfast: ')),
  });
}

// Whoever reads our output may stop doing so: `holdfast ls | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? EXIT_CODES.done.code);
  warn(`The output could not be written: ${error.message}`);
  process.exit(EXIT_CODES.internal.code);
});

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  // It has printed what there is to say.
  process.exitCode = error.exitCode === 0 ? EXIT_CODES.done.code : EXIT_CODES.usage.code;
}
