import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import type { LockReport } from 'holdfast';
import { EXIT_CODES } from '../exit-codes.ts';
import { type BackendOptions, endHelpWith, jsonOption, urlOf, urlOption } from '../options.ts';
import { conclude, printJson, printLines } from '../output.ts';
import { UsageError } from '../usage.ts';

interface BreakOptions extends BackendOptions {
  readonly yes?: true;
}

export function breakCommand(): Command {
  const command = new Command('break')
    .summary('take a lock from its holder')
    .description(
      'Takes a lock from its holder and gives it to the next in the queue. The holder is told, but works on until it has heard; ' +
        'what it writes is refused only by a guard, and only once that guard has seen a larger fencing token.',
    )
    .argument('<name>', 'the name of the lock')
    .addOption(urlOption())
    .option('--yes', 'do not ask; needed where there is no terminal to ask on')
    .addOption(jsonOption())
    .action((name: string, options: BreakOptions) => conclude(options.json === true, () => breakLock(name, options)));
  return endHelpWith(command, {
    examples: ['holdfast break nightly', 'holdfast break nightly --yes --json | jq -r .raiseTo'],
    exits: ['done', 'notAsExpected', 'usage', 'unavailable', 'denied', 'config'],
    notes: [
      'It prints the token to raise the guard of the resource to. A guard that is raised to it refuses the broken holder from then on; otherwise the next holder does that with its first access.',
    ],
  });
}

async function breakLock(name: string, options: BreakOptions): Promise<number> {
  const mayAsk = process.stdin.isTTY === true && process.stderr.isTTY === true;
  if (!options.yes && !mayAsk) {
    throw new UsageError(
      `There is no terminal to ask whether to break the lock ${JSON.stringify(name)}: --yes says so.`,
    );
  }
  const { inquire } = await import('../inquiry.ts');
  return inquire(urlOf(options), async ({ ask, backend, breaker, checkName }) => {
    checkName(name);
    const able = breaker();
    const report = await ask('who holds the lock', (deadline) => backend.inspect(name, deadline));
    if (report.holder === null) return nothingToBreak(name, options);
    if (!options.yes && !(await confirmed(report))) {
      process.stderr.write(`holdfast: The lock ${JSON.stringify(name)} was left as it is.\n`);
      return EXIT_CODES.notAsExpected.code;
    }
    const { broken, raiseTo } = await ask('breaking the lock', (deadline) => able.breakLock(name, deadline));
    if (broken === null) return nothingToBreak(name, options);
    const { holderJson, place } = await import('../reports.ts');
    if (options.json) {
      printJson({ lock: name, broken: holderJson(broken), raiseTo: raiseTo ?? null });
    } else {
      printLines([
        `Broke the lock ${JSON.stringify(name)}.`,
        `  held by   ${place(broken)}`,
        ...(broken.fencingToken === undefined ? [] : [`  token     ${broken.fencingToken}`]),
        ...(raiseTo === undefined ? WITHOUT_TOKENS : guardLines(raiseTo)),
      ]);
    }
    return EXIT_CODES.done.code;
  });
}

function guardLines(raiseTo: bigint): readonly string[] {
  return [
    `  raise to  ${raiseTo}`,
    '',
    'A guard refuses the broken holder from the moment it has seen that token or a',
    `larger one, and not before: raise(resource, ${raiseTo}n) does it at`,
    "once, otherwise the next holder's first access does.",
  ];
}

const WITHOUT_TOKENS: readonly string[] = [
  '',
  'There are no fencing tokens here: the broken holder works on until its next',
  'renewal, and nothing can refuse what it writes.',
];

function nothingToBreak(name: string, options: BreakOptions): number {
  process.stderr.write(
    `holdfast: Nobody holds the lock ${JSON.stringify(name)}: there is nothing to break. \`holdfast ls\` lists those that are held.\n`,
  );
  if (options.json) printJson({ lock: name, broken: null, raiseTo: null });
  return EXIT_CODES.notAsExpected.code;
}

async function confirmed(report: LockReport): Promise<boolean> {
  const { whoLines } = await import('../reports.ts');
  process.stderr.write(`${whoLines(report, new Date()).join('\n')}\n\n`);
  const questions = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<string>((resolve) => questions.once('close', () => resolve('')));
    const answer = await Promise.race([questions.question('Take it from this holder? [y/N] '), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    questions.close();
  }
}
