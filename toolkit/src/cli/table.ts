/**
 * Columns that line up, and fit into the terminal.
 *
 * @module
 */
import { fit, widthOf } from './text.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Down to how many columns it may be cut where there is not enough room; without it, it is never cut. */
  readonly atLeast?: number;
}

const GAP = 2;

/**
 * The lines of a table, the titles first. `columns` cut until the table is `width` wide, the widest first; cells must be
 * printable.
 */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): string[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[index] ?? ''))),
  );
  shrink(widths, columns, width);
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align }, index) => fit(cells[index] ?? '', widths[index] ?? 0, align))
      .join(' '.repeat(GAP))
      .trimEnd();
  return [line(columns.map(({ title }) => title)), ...rows.map(line)];
}

function shrink(widths: number[], columns: readonly Column[], width: number): void {
  let over = widths.reduce((sum, one) => sum + one, GAP * (widths.length - 1)) - width;
  while (over > 0) {
    let widest = -1;
    for (const [index, { atLeast, title }] of columns.entries()) {
      const current = widths[index] ?? 0;
      if (atLeast === undefined || current <= Math.max(atLeast, widthOf(title))) continue;
      if (widest === -1 || current > (widths[widest] ?? 0)) widest = index;
    }
    if (widest === -1) return; // nothing is left to cut: it will wrap
    widths[widest] = (widths[widest] ?? 0) - 1;
    over--;
  }
}
