/**
 * A result as text: what happened second by second, and what that means. From data to lines, nothing else.
 *
 * @module
 */
import { widthOf } from '../cli/text.ts';
import { meaningKey } from '../messages/advice-key.ts';
import { type Speech, speechIn } from '../messages/speech.ts';
import { moment } from './format.ts';
import { headline } from './headline.ts';
import { type Paint, pad, paragraph } from './paint.ts';
import { type Check, isVoid, type Moment, type Result, type Verdict } from './result.ts';

const INDENT = '  ';

/** The block of one result. */
export function resultLines(result: Result, paint: Paint, width: number, speech: Speech = speechIn('en')): string[] {
  const { experiment, subject, verdict, expected } = result;
  const title = `${paint.bold(subject)}${paint.dim(` · ${experiment}`)}`;
  const titleWidth = subject.length + experiment.length + 3;
  const said = verdictText(verdict, expected, speech);
  const gap = ' '.repeat(Math.max(2, width - titleWidth - widthOf(said)));
  const lines = [`${title}${gap}${verdictColor(verdict, expected, paint)(said)}`];
  lines.push(...paragraph(speech.say(headline(result)), width, INDENT));
  if (verdict === 'not-run') return lines;
  const moments = result.evidence.filter(({ says }) => says !== result.reason);
  if (moments.length > 0) lines.push('', ...timelineLines(moments, paint, width, speech));
  if (!isVoid(result)) lines.push('', ...checkLines(result.checks, paint, width, speech));
  if (verdict === 'unsafe' && expected !== 'unsafe') lines.push('', ...remedyLines(result, paint, width, speech));
  return lines;
}

/** What the page says about it, too. A lock that was known to fail needs no advice here. */
function remedyLines(result: Result, paint: Paint, width: number, speech: Speech): string[] {
  const title = speech.text('whatToDo');
  const remedy = speech.advice(meaningKey(result, 'Remedy'));
  const [first = '', ...rest] = paragraph(speech.text('remedy', { title, remedy }), width, INDENT);
  return [first.replace(title, paint.bold(title)), ...rest];
}

function timelineLines(moments: readonly Moment[], paint: Paint, width: number, speech: Speech): string[] {
  const name = Math.max(...moments.map(({ by }) => by.length), 1) + 2;
  return moments.flatMap(({ atMs, by, says, tone }) => {
    const time = `[${moment(atMs, 5)}]`;
    const head = `${INDENT}${paint.dim(time)} ${pad(`[${by}]`, name)} `;
    const hang = INDENT.length + time.length + name + 2;
    const [first = '', ...rest] = paragraph(speech.say(says), width - hang, '');
    const color = { plain: (text: string) => text, good: paint.green, bad: paint.red, fault: paint.yellow }[tone];
    return [`${head}${color(first)}`, ...rest.map((line) => `${' '.repeat(hang)}${color(line)}`)];
  });
}

/** The name of each check, what it says, and why. */
function checkLines(checks: readonly Check[], paint: Paint, width: number, speech: Speech): string[] {
  // In English they go by their ids, which stand in run.json.
  const nameOf = (checker: Check['checker']): string => (speech.language === 'en' ? checker : speech.named(checker));
  const name = Math.max(...checks.map(({ checker }) => widthOf(nameOf(checker)))) + 2;
  const hang = INDENT.length + name + 9;
  return checks.flatMap(({ checker, verdict, evidence }) => {
    const color = { safe: paint.green, unsafe: paint.red, unknown: paint.yellow, 'not-run': paint.dim }[verdict];
    const [first = '', ...rest] = evidence
      .slice(0, 3)
      .flatMap((sentence) => paragraph(speech.say(sentence), width - hang, ''));
    const word = wordOf(checker, verdict, speech);
    const head = `${INDENT}${pad(nameOf(checker), name)}${color(pad(word, 9))}`;
    const more =
      evidence.length > 3 ? [' '.repeat(hang) + speech.text('moreFindings', { n: evidence.length - 3 })] : [];
    return [`${head}${paint.dim(first)}`, ...rest.map((line) => `${' '.repeat(hang)}${paint.dim(line)}`), ...more];
  });
}

/** Where a check is about the run and not about the lock, or has no object, it has words of its own. */
function wordOf(checker: Check['checker'], verdict: Verdict, speech: Speech): string {
  const own = `${checker}.${verdict}`;
  const word = speech.named(own);
  return word === own ? speech.text(verdict) : word;
}

function verdictText(verdict: Verdict, expected: Verdict, speech: Speech): string {
  if (verdict === 'not-run' || verdict === 'unknown') return speech.text(verdict);
  if (verdict === expected) return speech.text(`${verdict}AsExpected`);
  return speech.text(`${verdict}Unexpected`, { verdict: speech.text(expected) });
}

function verdictColor(verdict: Verdict, expected: Verdict, paint: Paint): (text: string) => string {
  if (verdict === 'not-run') return paint.dim;
  if (verdict === 'unknown') return paint.yellow;
  if (verdict !== expected) return (text) => paint.bold(paint.red(text));
  return verdict === 'safe' ? paint.green : paint.red;
}

/** The heading of an experiment. */
export function experimentLines(
  id: string,
  question: string,
  paint: Paint,
  width: number,
  speech: Speech = speechIn('en'),
): string[] {
  return [paint.bold(paint.cyan(id)), ...paragraph(speech.say(question), width, '').map(paint.cyan)];
}
