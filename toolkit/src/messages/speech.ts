/**
 * What the check-up says, in the language that is chosen: texts by their key, and sentences of the lab.
 *
 * @module
 */
import { advice as englishAdvice } from './en/advice.ts';
import { page as englishPage } from './en/page.ts';
import { terminal as englishTerminal } from './en/terminal.ts';
import type { Language } from './language.ts';
import { fill, type Values } from './template.ts';
import { type Translate, translator } from './translate.ts';
import { advice as chineseAdvice } from './zh/advice.ts';
import { page as chinesePage } from './zh/page.ts';
import { terminal as chineseTerminal } from './zh/terminal.ts';

export type TextKey = keyof typeof englishPage | keyof typeof englishTerminal;
export type AdviceKey = keyof typeof englishAdvice;

export interface Speech {
  readonly language: Language;
  text(key: TextKey, values?: Values): string;
  /** The same for a key out of the data; the key itself, where there is no such text. */
  named(key: string): string;
  advice(key: AdviceKey): string;
  /** A sentence of the lab. */
  readonly say: Translate;
  /** Things one after the other. */
  list(items: readonly string[]): string;
}

export function speechIn(language: Language): Speech {
  const isChinese = language === 'zh';
  const texts: Readonly<Record<string, string>> = isChinese
    ? { ...chinesePage, ...chineseTerminal }
    : { ...englishPage, ...englishTerminal };
  const advice = isChinese ? chineseAdvice : englishAdvice;
  return {
    language,
    text: (key, values = {}) => fill(texts[key] ?? key, values),
    named: (key) => texts[key] ?? key,
    advice: (key) => advice[key],
    say: translator(language),
    list: (items) => items.join(isChinese ? '、' : ', '),
  };
}
