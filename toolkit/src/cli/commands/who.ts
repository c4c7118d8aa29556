import { Command } from 'commander';
import { EXIT_CODES } from '../exit-codes.ts';
import { type BackendOptions, endHelpWith, jsonOption, urlOf, urlOption } from '../options.ts';
import { colors, conclude, printJson, printLines } from '../output.ts';

export function whoCommand(): Command {
  const command = new Command('who')
    .summary('show who holds a lock, and who waits for it')
    .description('Shows who holds a lock (host, process, since when, fencing token, purpose) and who waits, in order.')
    .argument('<name>', 'the name of the lock')
    .addOption(urlOption())
    .addOption(jsonOption())
    .action((name: string, options: BackendOptions) => conclude(options.json === true, () => show(name, options)));
  return endHelpWith(command, {
    examples: ['holdfast who nightly', 'holdfast who nightly --json | jq -r .holder.fencingToken'],
    exits: ['done', 'usage', 'unavailable', 'denied', 'config'],
    notes: ['A lock that nobody holds is no error: it says "held by nobody", and with --json the holder is null.'],
  });
}

async function show(name: string, options: BackendOptions): Promise<number> {
  const { inquire } = await import('../inquiry.ts');
  const { toJson, whoLines } = await import('../reports.ts');
  const report = await inquire(urlOf(options), ({ ask, backend, checkName }) => {
    checkName(name);
    return ask('who holds the lock', (deadline) => backend.inspect(name, deadline));
  });
  if (options.json) {
    printJson(toJson(report));
  } else {
    const [title = '', ...lines] = whoLines(report, new Date());
    printLines([colors.bold(title), ...lines]);
  }
  return EXIT_CODES.done.code;
}
