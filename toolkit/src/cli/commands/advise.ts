import { Command, Option } from 'commander';
import { QUESTIONS, type Question, type Told } from '../../advise/situation.ts';
import type { Language } from '../../messages/language.ts';
import type { Say } from '../../messages/say.ts';
import { EXIT_CODES, exitCodeLines } from '../exit-codes.ts';
import { jsonOption, langOption } from '../options.ts';
import { colors, conclude, outputWidth, printJson, printLines } from '../output.ts';
import { UsageError } from '../usage.ts';

interface AdviseOptions {
  readonly input?: string;
  readonly bench?: string;
  readonly tree?: true;
  readonly json?: true;
  readonly lang: Language;
  /** The options that are inputs. */
  readonly [flag: string]: unknown;
}

export function adviseCommand(): Command {
  const command = new Command('advise')
    .summary('choose a lock, or something better than one')
    .description(
      'Recommends a backend, with settings and code, and says why, what would change the answer, what remains unsafe, and ' +
        'what the business has to do about that. Without options it asks; with some it assumes the rest, and says what it assumed.',
    );
  for (const question of QUESTIONS) {
    command.addOption(new Option(`--${question.flag} <${placeholder(question)}>`, describe(question)));
  }
  return command
    .option(
      '--input <file>',
      'read the inputs from a JSON file, or with - from standard input; options stand before it',
    )
    .option(
      '--bench <file>',
      'say what it costs here: what `holdfast bench --json FILE` wrote; holdfast-bench.json, if it is in this folder',
    )
    .option('--tree', 'print the whole decision tree, and advise nothing')
    .addOption(jsonOption())
    .addOption(langOption('the language of questions and answers'))
    .addHelpText('after', `\n${helpEnd}`)
    .action((options: AdviseOptions) => conclude(options.json === true, () => advice(options)));
}

const helpEnd = `Examples:
  holdfast advise
  holdfast advise --protects data --usual 500 --peak 5k --servers etcd,redis-replicas --skills etcd
  holdfast advise --input situation.json --bench bench.json --json | jq -r .answer

Exit codes:
${exitCodeLines(['done', 'usage']).join('\n')}`;

function placeholder({ kind }: Question): string {
  return { choice: 'choice', list: 'list', rate: 'rate', duration: 'time' }[kind];
}

function describe(question: Question): string {
  const called = question.called.replace(/^./, (letter) => letter.toUpperCase());
  if (question.kind === 'rate') return `${called}, a second`;
  if (question.kind === 'duration') return called;
  return `${called}: ${question.options.map(({ value }) => value).join(', ')}`;
}

async function advice(options: AdviseOptions): Promise<number> {
  const { sayIn } = await import('../../messages/say.ts');
  const say = sayIn(options.lang);
  if (options.tree) return printTree(say);
  const { advise } = await import('../../advise/advice.ts');
  const { benchFigures } = await import('../../advise/bench-file.ts');
  const bench = benchFigures(options.bench);
  let told = await toldBy(options, say);
  if (Object.keys(told).length === 0) told = await ask(say);
  const result = await asInput(() => advise(told, bench, say));
  if (options.json) {
    printJson(result);
  } else {
    const { adviceLines } = await import('../../advise/advice-text.ts');
    printLines(adviceLines(result, Math.min(outputWidth(), 100), paint, say));
  }
  return EXIT_CODES.done.code;
}

const paint = { bold: colors.bold, dim: colors.dim, good: colors.green, bad: colors.red };

async function printTree(say: Say): Promise<number> {
  const { treeLines } = await import('../../advise/tree-text.ts');
  printLines(treeLines(say));
  return EXIT_CODES.done.code;
}

/** What the options and the file say; options stand before the file. */
async function toldBy(options: AdviseOptions, say: Say): Promise<Told> {
  const { toldFromOptions } = await import('../advise-options.ts');
  const { toldFromJson } = await import('../../advise/told.ts');
  const written = options.input === undefined ? {} : await readJson('--input', options.input);
  return asInput(() => ({ ...toldFromJson(written, say), ...toldFromOptions(options, say) }));
}

async function readJson(option: string, file: string): Promise<unknown> {
  const { readFile } = await import('node:fs/promises');
  let text: string;
  try {
    text = await (file === '-' ? readStandardInput() : readFile(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${option} ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${option} ${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** What contradicts itself, or is no possible input, is a matter of usage. */
async function asInput<Result>(work: () => Result): Promise<Result> {
  try {
    return work();
  } catch (error) {
    const names = ['ContradictionError', 'InputError'];
    if (error instanceof Error && names.includes(error.name)) throw new UsageError(error.message);
    throw error;
  }
}

async function ask(say: Say): Promise<Told> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) {
    throw new UsageError(
      say(
        'There is no terminal to ask on. Say with options or with --input what the lock is for, such as --protects data --peak 500.',
      ),
    );
  }
  const { askOnTerminal } = await import('../advise-dialogue.ts');
  return askOnTerminal(say);
}
