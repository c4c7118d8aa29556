import { Command, Option } from 'commander';
import type { CheckupOptions } from '../../lab/choices.ts';
import type { JudgeOptions } from '../../lab/judge-again.ts';
import { exitCodeLines } from '../exit-codes.ts';
import { langOption } from '../options.ts';
import { conclude } from '../output.ts';

export function checkupCommand(): Command {
  return (
    new Command('checkup')
      .summary('examine locks with real servers, real processes and real faults')
      .description(
        'Starts real servers and processes, kills, stops and fails them over while locks are held, prints what happened ' +
          'second by second, and judges whether the protected data could have been damaged. Examines the locks of Holdfast, ' +
          'locks as people write them by hand, and your own.',
      )
      .argument('[ids...]', 'the experiments to run (see --list); those that take seconds if none is named')
      .option('--list', 'list the experiments and the subjects, and run nothing')
      .option('--all', 'run also those that take longer')
      .addOption(
        new Option('--subject <name|file>', 'the lock to examine: one from --list, or a file of yours; may be repeated')
          .argParser((value: string, before: readonly string[]) => [...before, value])
          .default([], 'all from --list'),
      )
      .addOption(
        new Option('--subject-command <command>', 'a lock of yours in any language: a program that is asked on stdin')
          .argParser((value: string, before: readonly string[]) => [...before, value])
          .default([], 'none'),
      )
      .option('--url <url>', 'use your own server, and do nothing to it: only holders are killed and stopped')
      .option('--ttl <duration>', 'the TTL of the locks, such as 3s or 500ms', '3s')
      .option('--rounds <number>', 'run everything so often; the worst verdict counts, and how often each was is said')
      .option(
        '--claims',
        'hold what our locks state about themselves against what was found; exit status 1 if it does not fit',
      )
      .option('--json <file>', 'write the results to a file, or with - to standard output in place of the text')
      .option('--report <file>', 'draw the results on a page, one HTML file that needs no network')
      .option(
        '--bench <file>',
        'put on the page what locks cost here: what `holdfast bench --json FILE` wrote; holdfast-bench.json, if it is in this folder',
      )
      .addOption(langOption('the language of what is printed and of the page'))
      .option('--keep', 'keep histories and server logs, in ./holdfast-runs')
      .option('--seed-timing', 'the timing of the experiments that these repeat: TTL 10 s and a try every 200 ms, …')
      .addHelpText('after', `\n${helpEnd}`)
      .action((ids: string[], options: CheckupOptions) =>
        conclude(options.json === '-', async () => (await import('../../lab/checkup.ts')).checkup(ids, options)),
      )
      // Options after `judge` are its own.
      .enablePositionalOptions()
      .addCommand(judgeCommand())
  );
}

function judgeCommand(): Command {
  return new Command('judge')
    .summary('judge a stored run again')
    .description(
      'Judges the histories in a file that --json has written, with the checkers of this version, and runs nothing.',
    )
    .argument('<run.json>', 'what holdfast checkup --json has written')
    .option('--claims', 'hold what our locks state about themselves against it')
    .option('--json <file>', 'write the results to a file, or with - to standard output in place of the text')
    .option('--report <file>', 'draw the results on a page, one HTML file that needs no network')
    .option(
      '--bench <file>',
      'put on the page what locks cost here: what `holdfast bench --json FILE` wrote; holdfast-bench.json, if it is in this folder',
    )
    .addOption(langOption('the language of what is printed and of the page'))
    .addHelpText('after', `\nExit codes:\n${exitCodeLines(['done', 'notAsExpected', 'unknown', 'usage']).join('\n')}`)
    .action((file: string, options: JudgeOptions) =>
      conclude(options.json === '-', async () => (await import('../../lab/judge-again.ts')).judgeFile(file, options)),
    );
}

const helpEnd = `Your own lock is a file of some twenty lines, which runs in processes of its own:

  export default {
    name: 'my-lock',
    async open({ url }) {
      return {
        async acquire(name, { ttlMs, waitMs }) {          // null when waitMs have passed without the lock
          return { fencingToken, believes: () => true, async release() {} };
        },
        async close() {},
      };
    },
  };

In another language it is a program that answers a line of JSON with a line of JSON: docs/lab/subjects.md.

Examples:
  holdfast checkup
  holdfast checkup pause --subject ./my-lock.mjs
  holdfast checkup --subject-command 'python3 my_lock.py'
  holdfast checkup crash pause --subject ./my-lock.mjs --url redis://localhost:6379
  holdfast checkup --json run.json --report report.html
  holdfast checkup judge run.json

HOLDFAST_CHECKUP_URL is --url without showing a password to \`ps\`.

Exit codes:
${exitCodeLines(['done', 'notAsExpected', 'unknown', 'usage']).join('\n')}`;
