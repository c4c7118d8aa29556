/**
 * Prints the results of a check-up in the order of its plan, each as soon as those before it are there, and at the end
 * what they come to.
 *
 * @module
 */
import { colors, outputWidth, printLines } from '../cli/output.ts';
import { printable } from '../cli/text.ts';
import type { Speech } from '../messages/speech.ts';
import { type Claim, unexamined } from './claims.ts';
import { span } from './format.ts';
import { matrixLines } from './matrix.ts';
import { paragraph } from './paint.ts';
import { claimLines } from './print-claims.ts';
import { experimentLines, resultLines } from './print-result.ts';
import type { ExperimentSummary, Result, Run } from './result.ts';

/** What a printer must know of a task. */
export interface Planned {
  readonly experiment: ExperimentSummary;
}

/** Wider lines are hard to read. */
const WIDEST = 110;

export class CheckupPrinter {
  readonly #order: readonly Planned[];
  readonly #print: ((print: () => void) => void) | undefined;
  readonly #results = new Map<Planned, Result>();
  readonly #width: number;
  readonly #speech: Speech;
  #printed = 0;
  #lastExperiment = '';

  /** `around` lets something be printed between the lines of the progress; without it nothing is. */
  constructor(order: readonly Planned[], around: ((print: () => void) => void) | undefined, speech: Speech) {
    this.#speech = speech;
    this.#order = order;
    this.#print = around;
    this.#width = Math.min(WIDEST, outputWidth());
  }

  add(task: Planned, result: Result): void {
    this.#results.set(task, result);
    for (let next = this.#nextResult(); next; next = this.#nextResult()) {
      this.#printed++;
      // Why something was not run is said once, at the end.
      if (next.result.verdict === 'not-run') continue;
      const lines = this.#linesOf(next.task, next.result);
      this.#print?.(() => printLines(lines));
    }
  }

  /** The matrix, what was not run and why, and what the words mean; then where it all is. */
  end({ results, subjects, machine }: Run, tookMs: number | undefined, closing: readonly string[] = []): void {
    const width = this.#width;
    const speech = this.#speech;
    const ran = results.filter((result) => result.verdict !== 'not-run');
    const lines = ['', colors.bold(speech.text('question')), '', ...matrixLines(results, colors, width, speech)];
    const notRun = reasonsNotRun(results, speech);
    if (notRun.length > 0) lines.push('', ...notRun.flatMap((text) => paragraph(text, width, '')));
    lines.push('', ...countsOf(ran, subjects, speech).flatMap((text) => paragraph(text, width, '')));
    const meaning =
      speech.text(ran.some(({ rounds }) => rounds) ? 'meaningOfRounds' : 'meaning') +
      (ran.length > 0 ? ` ${speech.text('oneClock')}` : '') +
      (hasBlanks(results) ? ` ${speech.text('blanks')}` : '');
    lines.push(...paragraph(meaning, width, '').map(colors.dim));
    const took = tookMs === undefined ? [] : [speech.text('took', { span: span(tookMs) })];
    const conditions = [...took, `node ${machine.node}`, ...machine.servers].join(', ');
    lines.push(...paragraph(conditions, width, '').map(colors.dim), ...closing);
    printLines(lines);
  }

  #nextResult(): { task: Planned; result: Result } | undefined {
    const task = this.#order[this.#printed];
    const result = task && this.#results.get(task);
    return task && result ? { task, result } : undefined;
  }

  #linesOf({ experiment }: Planned, result: Result): string[] {
    const lines = [''];
    if (experiment.id !== this.#lastExperiment) {
      lines.push(...experimentLines(experiment.id, experiment.question, colors, this.#width, this.#speech), '');
      this.#lastExperiment = experiment.id;
    }
    return [...lines, ...resultLines(withPrintableTexts(result), colors, this.#width, this.#speech)];
  }
}

/** What each lock states about itself, and what became of it; and of which of ours nobody knows. */
export function printClaims(claims: readonly Claim[], run: Run, speech: Speech): void {
  printLines(['', ...claimLines(claims, unexamined(run), colors, Math.min(WIDEST, outputWidth()), speech)]);
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

function reasonsNotRun(results: readonly Result[], speech: Speech): string[] {
  const groups = new Map<string, Result[]>();
  for (const result of results) {
    const { verdict, reason = '' } = result;
    if (verdict === 'not-run') groups.set(reason, [...(groups.get(reason) ?? []), result]);
  }
  return [...groups].map(([reason, group]) =>
    speech.text('notRun', { what: namesOf(group, speech), reason: speech.say(reason) }),
  );
}

/** Each experiment with its subjects; said shortly where all have the same. */
function namesOf(results: readonly Result[], speech: Speech): string {
  const ids = [...new Set(results.map(({ experiment }) => experiment))];
  const subjectsOf = (id: string): string =>
    speech.list(results.filter(({ experiment }) => experiment === id).map(({ subject }) => subject));
  const [first = ''] = ids;
  if (ids.every((id) => subjectsOf(id) === subjectsOf(first)))
    return speech.text('allWith', { experiments: speech.list(ids), subjects: subjectsOf(first) });
  return ids.map((id) => speech.text('allWith', { experiments: id, subjects: subjectsOf(id) })).join('; ');
}

/** Of a lock of the user's, how it came off; of the others, whether they are still what they are known to be. */
function countsOf(ran: readonly Result[], subjects: Run['subjects'], speech: Speech): string[] {
  const yours = subjects.filter(({ origin }) => origin === 'yours').map(({ name }) => name);
  const ours = ran.filter(({ subject }) => !yours.includes(subject));
  const others = ours.length > 0 || ran.length === 0 ? [countsOfOurs(ours, speech)] : [];
  return [...yours.flatMap((name) => countsOfYours(name, ran, speech)), ...others];
}

function countsOfYours(name: string, ran: readonly Result[], speech: Speech): string[] {
  const theirs = ran.filter(({ subject }) => subject === name);
  const parts = (['safe', 'unsafe', 'unknown'] as const).flatMap((verdict) => {
    const n = theirs.filter((result) => result.verdict === verdict).length;
    return n === 0 ? [] : [speech.text(`${verdict}Of`, { n, m: theirs.length })];
  });
  return parts.length === 0 ? [] : [speech.text('countsOfYours', { subject: name, counts: joined(parts, speech) })];
}

function countsOfOurs(ran: readonly Result[], speech: Speech): string {
  const asExpected = ran.filter((result) => result.verdict === result.expected).length;
  const unknown = ran.filter((result) => result.verdict === 'unknown').length;
  const surprising = ran.length - asExpected - unknown;
  const parts = [speech.text(ran.length === 1 ? 'countsOfOne' : 'counts', { n: asExpected, m: ran.length })];
  if (surprising > 0) parts.push(speech.text('countsUnexpected', { n: surprising }));
  if (unknown > 0) parts.push(speech.text('countsUnknown', { n: unknown }));
  return `${joined(parts, speech)}${speech.language === 'zh' ? '。' : '.'}`;
}

function joined(parts: readonly string[], { language }: Speech): string {
  return parts.join(language === 'zh' ? '，' : ', ');
}

/** Whether some experiment is about some of these locks only. */
function hasBlanks(results: readonly Result[]): boolean {
  const sizes = [new Set(results.map(({ experiment }) => experiment)), new Set(results.map(({ subject }) => subject))];
  return sizes.reduce((cells, { size }) => cells * size, 1) > results.length;
}
