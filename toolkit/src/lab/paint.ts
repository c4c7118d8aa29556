/**
 * What text is made of on a terminal: colours, widths, and lines that end before the edge.
 *
 * @module
 */
import type picocolors from 'picocolors';

export type Paint = Pick<
  ReturnType<typeof picocolors.createColors>,
  'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan'
>;

/** The text, filled with spaces. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - text.length));
}

/** Breaks a text at spaces; a word that is longer than a line is left whole. */
export function paragraph(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return line === '' ? lines : [...lines, indent + line];
}
