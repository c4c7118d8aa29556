/**
 * Text for a terminal: what the names and purposes of other people look like there, and how wide they are.
 *
 * @module
 */

/** Controls, and what turns the direction of writing: a name must not move the cursor or hide what follows it. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Joins an emoji out of several; harmless, and ugly when shown as an escape. */
const ZERO_WIDTH_JOINER = '\u200d';

const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The text with everything that a terminal would obey, or not show, written as an escape. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    if (character === ZERO_WIDTH_JOINER) return character;
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** The text without the passwords of the URLs in it, whoever wrote them there. */
export function withoutPasswords(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/[^\s"'@:/]*):[^\s"']*@/gi, '$1:***@');
}

/** How many columns a printable text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of characters.segment(text)) width += characterWidth(segment);
  return width;
}

function characterWidth(character: string): number {
  if (/^\p{M}/u.test(character)) return 0;
  return WIDE.test(character) || character.includes('\ufe0f') ? 2 : 1;
}

/** The text in exactly that many columns, cut with an ellipsis or filled with spaces. */
export function fit(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const shown = cut(text, width);
  const space = ' '.repeat(Math.max(0, width - widthOf(shown)));
  return align === 'left' ? shown + space : space + shown;
}

/** The text in at most that many columns. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let shown = '';
  let left = width - 1;
  for (const { segment } of characters.segment(text)) {
    left -= characterWidth(segment);
    if (left < 0) break;
    shown += segment;
  }
  return `${shown}…`;
}
