import { Command } from 'commander';
import { EXIT_CODES } from '../exit-codes.ts';
import { type BackendOptions, endHelpWith, jsonOption, urlOf, urlOption } from '../options.ts';
import { colors, conclude, outputWidth, printJson, printLines } from '../output.ts';

export function lsCommand(): Command {
  const command = new Command('ls')
    .summary('list the locks that are held or waited for')
    .description('Lists the locks that are held or waited for: who holds each, for how long, and how many wait.')
    .addOption(urlOption())
    .addOption(jsonOption())
    .action((options: BackendOptions) => conclude(options.json === true, () => list(options)));
  return endHelpWith(command, {
    examples: ['holdfast ls', 'HOLDFAST_URL=redis://cache:6379 holdfast ls --json | jq -r .locks[].lock'],
    exits: ['done', 'usage', 'unavailable', 'denied', 'config'],
  });
}

async function list(options: BackendOptions): Promise<number> {
  const { inquire } = await import('../inquiry.ts');
  const { listLines, toJson } = await import('../reports.ts');
  const reports = await inquire(urlOf(options), ({ ask, backend }) =>
    ask('the list of locks', (deadline) => backend.list(deadline)),
  );
  if (options.json) {
    printJson({ locks: reports.map(toJson) });
  } else if (reports.length === 0) {
    process.stderr.write('No lock is held or waited for.\n');
  } else {
    const [titles = '', ...lines] = listLines(reports, outputWidth(), new Date());
    printLines([colors.dim(titles), ...lines]);
  }
  return EXIT_CODES.done.code;
}
