/**
 * A result as text: what happened second by second, and what that means. From data to lines, nothing else.
 *
 * @module
 */
import { count, moment } from './format.ts';
import { headline } from './headline.ts';
import { type Paint, pad, paragraph } from './paint.ts';
import type { Check, Moment, Result, Verdict } from './result.ts';

const INDENT = '  ';

/** The block of one result. */
export function resultLines(result: Result, paint: Paint, width: number): string[] {
  const { experiment, subject, verdict, expected } = result;
  const title = `${paint.bold(subject)}${paint.dim(` · ${experiment}`)}`;
  const titleWidth = subject.length + experiment.length + 3;
  const said = verdictText(verdict, expected);
  const gap = ' '.repeat(Math.max(2, width - titleWidth - said.length));
  const lines = [`${title}${gap}${verdictColor(verdict, expected, paint)(said)}`];
  lines.push(...paragraph(headline(result), width, INDENT));
  if (verdict === 'not-run') return lines;
  const moments = result.evidence.filter(({ says }) => says !== result.reason);
  if (moments.length > 0) lines.push('', ...timelineLines(moments, paint, width));
  // What checkers say about a void run means nothing.
  const isVoid = result.checks.some(({ checker, verdict: said }) => checker === 'sanity' && said !== 'safe');
  if (!isVoid) lines.push('', ...checkLines(result.checks, paint, width));
  return lines;
}

function timelineLines(moments: readonly Moment[], paint: Paint, width: number): string[] {
  const name = Math.max(...moments.map(({ by }) => by.length), 1) + 2;
  return moments.flatMap(({ atMs, by, says, tone }) => {
    const time = `[${moment(atMs, 5)}]`;
    const head = `${INDENT}${paint.dim(time)} ${pad(`[${by}]`, name)} `;
    const hang = INDENT.length + time.length + name + 2;
    const [first = '', ...rest] = paragraph(says, width - hang, '');
    const color = { plain: (text: string) => text, good: paint.green, bad: paint.red, fault: paint.yellow }[tone];
    return [`${head}${color(first)}`, ...rest.map((line) => `${' '.repeat(hang)}${color(line)}`)];
  });
}

/** The name of each check, what it says, and why. */
function checkLines(checks: readonly Check[], paint: Paint, width: number): string[] {
  const name = Math.max(...checks.map(({ checker }) => checker.length)) + 2;
  const hang = INDENT.length + name + 9;
  return checks.flatMap(({ checker, verdict, evidence }) => {
    const color = { safe: paint.green, unsafe: paint.red, unknown: paint.yellow, 'not-run': paint.dim }[verdict];
    const [first = '', ...rest] = evidence.slice(0, 3).flatMap((sentence) => paragraph(sentence, width - hang, ''));
    const word = CHECK_WORDS[checker]?.[verdict] ?? verdict;
    const head = `${INDENT}${pad(checker, name)}${color(pad(word, 9))}`;
    const more = evidence.length > 3 ? [`${' '.repeat(hang)}and ${count(evidence.length - 3, 'finding')} more`] : [];
    return [`${head}${paint.dim(first)}`, ...rest.map((line) => `${' '.repeat(hang)}${paint.dim(line)}`), ...more];
  });
}

/** Where a check is about the run and not about the lock, or has no object, another word says more. */
const CHECK_WORDS: Partial<Record<Check['checker'], Partial<Record<Verdict, string>>>> = {
  sanity: { safe: 'valid', unknown: 'void' },
  exposure: { safe: 'proven', unknown: 'unproven' },
  'fencing-order': { 'not-run': 'none' },
  'guarded-register': { 'not-run': 'none' },
  service: { safe: 'kept', unsafe: 'lost' },
  queue: { safe: 'kept', unsafe: 'not kept', 'not-run': 'none' },
};

function verdictText(verdict: Verdict, expected: Verdict): string {
  if (verdict === 'not-run') return 'not run';
  if (verdict === 'unknown') return 'unknown';
  return verdict === expected ? `${verdict}, as expected` : `${verdict.toUpperCase()}, and not ${expected} as expected`;
}

function verdictColor(verdict: Verdict, expected: Verdict, paint: Paint): (text: string) => string {
  if (verdict === 'not-run') return paint.dim;
  if (verdict === 'unknown') return paint.yellow;
  if (verdict !== expected) return (text) => paint.bold(paint.red(text));
  return verdict === 'safe' ? paint.green : paint.red;
}

/** The heading of an experiment. */
export function experimentLines(id: string, question: string, paint: Paint, width: number): string[] {
  return [paint.bold(paint.cyan(id)), ...paragraph(question, width, '').map(paint.cyan)];
}
