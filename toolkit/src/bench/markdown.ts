/**
 * Markdown tables, padded so that a terminal shows them as well as a page does.
 *
 * @module
 */
import type { Spread } from './statistics.ts';

export function section(title: string, columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return `### ${title}\n\n${markdownTable(columns, rows)}`;
}

function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((title, at) => Math.max(3, title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(columns), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** `0.97 (0.91–1.02)`: the median, and the extremes of all rounds where they are others. */
export function spread({ median, min, max }: Spread, digits: number): string {
  const middle = median.toFixed(digits);
  const extremes = [min.toFixed(digits), max.toFixed(digits)];
  return extremes.every((extreme) => extreme === middle) ? middle : `${middle} (${extremes.join('–')})`;
}
