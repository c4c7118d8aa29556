import { Command, Option } from 'commander';
import type { BenchOptions } from '../../bench/overview/run.ts';
import { exitCodeLines } from '../exit-codes.ts';
import { conclude } from '../output.ts';

export function benchCommand(): Command {
  return new Command('bench')
    .summary('measure what a lock costs on each backend, against the bare commands')
    .description(
      'Starts real servers, and measures on each how many locks a second one process acquires and releases, how long a ' +
        'lock is on its way to the next of ten waiters, and what it costs to hold a thousand, or with --quick two hundred: with Holdfast, and with the ' +
        'bare commands through the same client, in alternating rounds.',
    )
    .argument('[backends...]', 'what to measure (see --list); all that can run here if none is named')
    .option('--list', 'list the backends, and measure nothing')
    .option('--quick', 'few and short rounds, a few minutes for all backends: to see that it works, not to publish')
    .option('--rounds <number>', 'alternating rounds of each comparison; 7, with --quick 2')
    .option('--json <file>', 'write the figures to a file, or with - to standard output in place of the tables')
    .addOption(
      new Option('--subject <file>', 'a lock to compare with, in a file as for the check-up; may be repeated')
        .argParser((value: string, before: readonly string[]) => [...before, value])
        .default([], 'none'),
    )
    .option('--markdown <file>', 'write the tables into this page, in place of those it has')
    .addOption(new Option('--as <command>', 'how this run is called').default('npx holdfast bench').hideHelp())
    .addHelpText('after', `\n${helpEnd}`)
    .action((names: string[], options: BenchOptions) =>
      conclude(options.json === '-', async () => (await import('../../bench/overview/run.ts')).bench(names, options)),
    );
}

const helpEnd = `Examples:
  holdfast bench
  holdfast bench redis etcd --rounds 15
  holdfast bench --subject ./my-lock.mjs
  holdfast bench --json holdfast-bench.json

holdfast advise shows the figures of holdfast-bench.json where it stands in the same folder.
Ratios are Holdfast to the other, round by round. What is measured, and the shape of the JSON: docs/bench-all.md.

Exit codes:
${exitCodeLines(['done', 'usage', 'unavailable', 'internal']).join('\n')}`;
