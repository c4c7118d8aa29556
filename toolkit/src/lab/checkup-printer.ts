/**
 * Prints the results of a check-up in the order of its plan, each as soon as those before it are there, and at the end
 * what they come to.
 *
 * @module
 */
import { colors, outputWidth, printLines } from '../cli/output.ts';
import { printable } from '../cli/text.ts';
import { count, span } from './format.ts';
import { matrixLines } from './matrix.ts';
import { paragraph } from './paint.ts';
import { experimentLines, resultLines } from './print-result.ts';
import type { Result, Run } from './result.ts';
import type { Task } from './tasks.ts';

/** Wider lines are hard to read. */
const WIDEST = 110;

export class CheckupPrinter {
  readonly #order: readonly Task[];
  readonly #print: ((print: () => void) => void) | undefined;
  readonly #results = new Map<Task, Result>();
  readonly #width: number;
  #printed = 0;
  #lastExperiment = '';

  /** `around` lets something be printed between the lines of the progress; without it nothing is. */
  constructor(order: readonly Task[], around: ((print: () => void) => void) | undefined) {
    this.#order = order;
    this.#print = around;
    this.#width = Math.min(WIDEST, outputWidth());
  }

  add(task: Task, result: Result): void {
    this.#results.set(task, result);
    for (let next = this.#nextResult(); next; next = this.#nextResult()) {
      this.#printed++;
      // Why something was not run is said once, at the end.
      if (next.result.verdict === 'not-run') continue;
      const lines = this.#linesOf(next.task, next.result);
      this.#print?.(() => printLines(lines));
    }
  }

  /** The matrix, what was not run and why, and what the words mean. */
  end({ results, machine }: Run, tookMs: number): void {
    const width = this.#width;
    const ran = results.filter((result) => result.verdict !== 'not-run');
    const lines = [
      '',
      colors.bold('Could the protected data have been damaged?'),
      '',
      ...matrixLines(results, colors, width),
    ];
    const notRun = reasonsNotRun(results);
    if (notRun.length > 0) lines.push('', ...notRun.flatMap((text) => paragraph(text, width, '')));
    lines.push('', ...paragraph(countsOf(ran), width, ''));
    const meaning =
      'One run of each. "safe" means that no damage was done in it although there was occasion; "unsafe" is a counter-example.' +
      (ran.length > 0 ? ' All clocks are those of one machine here, so they agree; those of several may not.' : '');
    lines.push(...paragraph(meaning, width, '').map(colors.dim));
    lines.push(colors.dim([`Took ${span(tookMs)}`, `node ${machine.node}`, ...machine.servers].join(', ')));
    printLines(lines);
  }

  #nextResult(): { task: Task; result: Result } | undefined {
    const task = this.#order[this.#printed];
    const result = task && this.#results.get(task);
    return task && result ? { task, result } : undefined;
  }

  #linesOf({ experiment }: Task, result: Result): string[] {
    const lines = [''];
    if (experiment.id !== this.#lastExperiment) {
      lines.push(...experimentLines(experiment.id, experiment.question, colors, this.#width), '');
      this.#lastExperiment = experiment.id;
    }
    return [...lines, ...resultLines(withPrintableTexts(result), colors, this.#width)];
  }
}

/** What a subject has said may contain anything. */
function withPrintableTexts(result: Result): Result {
  return {
    ...result,
    evidence: result.evidence.map((moment) => ({ ...moment, says: printable(moment.says) })),
    checks: result.checks.map((check) => ({ ...check, evidence: check.evidence.map(printable) })),
    ...(result.reason === undefined ? {} : { reason: printable(result.reason) }),
  };
}

function reasonsNotRun(results: readonly Result[]): string[] {
  const groups = new Map<string, Result[]>();
  for (const result of results) {
    const { verdict, reason = '' } = result;
    if (verdict === 'not-run') groups.set(reason, [...(groups.get(reason) ?? []), result]);
  }
  return [...groups].map(([reason, group]) => `Not run: ${namesOf(group)}. ${reason}`);
}

/** Each experiment with its subjects; said shortly where all have the same. */
function namesOf(results: readonly Result[]): string {
  const experiments = [...new Set(results.map(({ experiment }) => experiment))];
  const subjectsOf = (id: string): string =>
    results
      .filter(({ experiment }) => experiment === id)
      .map(({ subject }) => subject)
      .join(', ');
  const [first = ''] = experiments;
  if (experiments.every((id) => subjectsOf(id) === subjectsOf(first)))
    return `${experiments.join(', ')} with ${subjectsOf(first)}`;
  return experiments.map((id) => `${id} with ${subjectsOf(id)}`).join('; ');
}

function countsOf(ran: readonly Result[]): string {
  const asExpected = ran.filter((result) => result.verdict === result.expected).length;
  const unknown = ran.filter((result) => result.verdict === 'unknown').length;
  const surprising = ran.length - asExpected - unknown;
  const parts = [`${asExpected} of ${count(ran.length, 'verdict')} as expected`];
  if (surprising > 0) parts.push(`${surprising} not (marked !)`);
  if (unknown > 0) parts.push(`${unknown} unknown`);
  return `${parts.join(', ')}.`;
}
