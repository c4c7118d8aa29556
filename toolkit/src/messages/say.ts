/**
 * Says the texts of the advisor in the language that is chosen. Its rules and answers are data in English, and there the
 * English text is the key: who reads the rules reads what is said. A text without a translation is said in English; a test
 * finds those.
 *
 * @module
 */
import type { Language } from './language.ts';
import { fill, type Values } from './template.ts';
import { advisor as chinese } from './zh/advisor/all.ts';

export type Say = (english: string, values?: Values) => string;

export const inEnglish: Say = (english, values = {}) => fill(english, values);

const inChinese: Say = (english, values = {}) => fill(chinese[english] ?? english, values);

export function sayIn(language: Language): Say {
  return language === 'zh' ? inChinese : inEnglish;
}
