/**
 * The matrix of a check-up: a row for each experiment, a column for each subject.
 *
 * @module
 */

import { type Speech, speechIn } from '../messages/speech.ts';
import { type Paint, pad } from './paint.ts';
import type { Result } from './result.ts';

/** Turned by itself where the subjects do not fit side by side; several tables where that does not fit either. */
export function matrixLines(
  results: readonly Result[],
  paint: Paint,
  width: number,
  speech: Speech = speechIn('en'),
): string[] {
  const experiments = [...new Set(results.map((result) => result.experiment))];
  const subjects = [...new Set(results.map((result) => result.subject))];
  const cell = (experiment: string, subject: string): Result | undefined =>
    results.find((result) => result.experiment === experiment && result.subject === subject);
  if (widest(subjects, experiments) > width && widest(experiments, subjects) <= width) {
    return table(
      ['', ...experiments],
      subjects.map((subject) => [subject, ...experiments.map((experiment) => cell(experiment, subject))]),
      paint,
      speech,
    );
  }
  const tables = inChunks(subjects, experiments, width).map((some) => {
    const concerned = experiments.filter((experiment) => some.some((subject) => cell(experiment, subject)));
    return table(
      ['', ...some],
      concerned.map((experiment) => [experiment, ...some.map((subject) => cell(experiment, subject))]),
      paint,
      speech,
    );
  });
  return tables.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}

/** As many columns together as fit, at least one. */
function inChunks(titles: readonly string[], firstColumn: readonly string[], width: number): readonly string[][] {
  const chunks: string[][] = [];
  for (const title of titles) {
    const last = chunks.at(-1);
    if (last && widest([...last, title], firstColumn) <= width) last.push(title);
    else chunks.push([title]);
  }
  return chunks;
}

type Row = readonly [string, ...(Result | undefined)[]];

const GAP = 2;

/** What a cell can say at most: "unsafe !". */
const WIDEST_CELL = 8;

function widest(titles: readonly string[], firstColumn: readonly string[]): number {
  const first = Math.max(...firstColumn.map(({ length }) => length));
  return titles.reduce((sum, { length }) => sum + GAP + Math.max(length, WIDEST_CELL), first);
}

function table(titles: readonly string[], rows: readonly Row[], paint: Paint, speech: Speech): string[] {
  const widths = titles.map((title, index) =>
    index === 0 ? Math.max(...rows.map(([first]) => first.length)) : Math.max(title.length, WIDEST_CELL),
  );
  const gap = ' '.repeat(GAP);
  const head = titles
    .map((title, index) => pad(title, widths[index] ?? 0))
    .join(gap)
    .trimEnd();
  return [
    paint.dim(head),
    ...rows.map(([first, ...cells]) =>
      [
        pad(first, widths[0] ?? 0),
        ...cells.map((result, index) => cellText(result, widths[index + 1] ?? 0, paint, speech)),
      ]
        .join(gap)
        .trimEnd(),
    ),
  ];
}

/** A mark stands where the verdict is not the expected one. */
function cellText(result: Result | undefined, width: number, paint: Paint, speech: Speech): string {
  if (!result) return pad('', width);
  const { verdict, expected } = result;
  if (verdict === 'not-run') return paint.dim(pad('-', width));
  const color = { safe: paint.green, unsafe: paint.red, unknown: paint.yellow }[verdict];
  const surprising = verdict !== expected && verdict !== 'unknown';
  const word = speech.text(verdict);
  return color(pad(surprising ? `${word} !` : word, width));
}
