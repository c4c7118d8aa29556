/**
 * Judges a stored run once more: the checkers of this version on the histories of that run.
 *
 * @module
 */
import { EXIT_CODES } from '../cli/exit-codes.ts';
import { printLines } from '../cli/output.ts';
import type { Speech } from '../messages/speech.ts';
import { speechIn } from '../messages/speech.ts';
import { CheckupPrinter, printClaims } from './checkup-printer.ts';
import { claimsOf, outcomeOfClaims } from './claims.ts';
import { experiments } from './experiments/all.ts';
import { judge } from './judge.ts';
import { type OutputFiles, prepareOutput } from './output-files.ts';
import { outcomeOf, type Result, type Run, worseOf } from './result.ts';
import { readRun, toJson } from './store.ts';
import { unpackHistory } from './stored-history.ts';

export interface JudgeOptions extends OutputFiles {
  readonly claims?: true;
}

/** Resolves with the exit code: that of the run as it is judged now, and not as expected where a verdict has changed. */
export async function judgeFile(file: string, options: JudgeOptions): Promise<number> {
  const writeFiles = prepareOutput(options);
  const before = readRun(file);
  const run = { ...before, results: before.results.map(judgeAgain) };
  const speech = speechIn(options.lang);
  const changed = run.results.filter((result, index) => result.verdict !== before.results[index]?.verdict);
  const files = writeFiles(run);
  if (options.json === '-') process.stdout.write(toJson(run));
  else {
    const order = run.results.map(({ experiment }) => ({ experiment: summaryOf(experiment, run) }));
    const printer = new CheckupPrinter(order, (print) => print(), speech);
    for (const [index, planned] of order.entries()) printer.add(planned, run.results[index] as Result);
    printer.end(run, undefined, files);
    printLines(['', ...comparison(before, run, speech)]);
  }
  const claims = options.claims ? claimsOf(run) : [];
  if (options.claims && options.json !== '-') printClaims(claims, run, speech);
  const outcome = worseOf(changed.length > 0 ? 'notAsExpected' : outcomeOf(run.results), outcomeOfClaims(claims));
  return EXIT_CODES[outcome].code;
}

/** A result without a history, or of an experiment that is not known here, stays as it is. */
export function judgeAgain(result: Result): Result {
  const { history, expected, subject, rounds } = result;
  const experiment = experiments.find(({ id }) => id === result.experiment);
  if (!history || !experiment) return result;
  const again = judge({ experiment, subject: { name: subject }, expected }, unpackHistory(history));
  // The histories of the other rounds were not stored. Where this one is judged otherwise, their verdicts mean nothing.
  return { ...again, history, ...(rounds && again.verdict === result.verdict ? { rounds } : {}) };
}

function summaryOf(id: string, { experiments: known }: Run): Run['experiments'][number] {
  return known.find((experiment) => experiment.id === id) ?? { id, question: '' };
}

function comparison(before: Run, after: Run, speech: Speech): string[] {
  const judged = after.results.filter(({ history }) => history !== undefined).length;
  const changes = after.results.flatMap(({ experiment, subject, verdict }, index) => {
    const was = before.results[index]?.verdict;
    if (was === undefined || was === verdict) return [];
    const words = { verdict: speech.text(verdict), before: speech.text(was) };
    return [`  ${speech.text('judgedOtherOne', { experiment, subject, ...words })}`];
  });
  const unjudged = after.results.filter(({ history, verdict }) => !history && verdict !== 'not-run').length;
  return [
    ...(changes.length === 0
      ? [speech.text('judgedSame', { n: judged })]
      : [speech.text('judgedOther', { n: changes.length, m: judged }), ...changes]),
    ...(unjudged > 0 ? [speech.text('judgedKept', { n: unjudged })] : []),
  ];
}
