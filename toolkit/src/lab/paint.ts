/**
 * What text is made of on a terminal: colours, widths, and lines that end before the edge.
 *
 * @module
 */
import type picocolors from 'picocolors';
import { widthOf } from '../cli/text.ts';

export type Paint = Pick<
  ReturnType<typeof picocolors.createColors>,
  'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan'
>;

/** The text, filled with spaces. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Breaks a text at spaces, and between Chinese characters; a word that is longer than a line is left whole. */
export function paragraph(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const { word, gap } of wordsOf(text)) {
    if (line !== '' && indent.length + widthOf(line + gap + word) > width) {
      lines.push(indent + line);
      line = word;
    } else {
      line = line === '' ? word : line + gap + word;
    }
  }
  return line === '' ? lines : [...lines, indent + line];
}

/** A Chinese character is a word of its own, with what may not stand at the beginning or the end of a line. */
const WORD = /[（“《]*(?:\p{Script=Han}|[^\s\p{Script=Han}，。；：！？、）”》（“《]+)[，。；：！？、）”》]*|\S/gu;

/** The words of a text, each with what stands before it when it does not begin a line. */
function wordsOf(text: string): readonly { readonly word: string; readonly gap: string }[] {
  return [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    word,
    gap: /\s/.test(text[index - 1] ?? '') ? ' ' : '',
  }));
}
