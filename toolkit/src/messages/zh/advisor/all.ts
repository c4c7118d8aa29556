/**
 * The texts of the advisor in Chinese, by their English.
 *
 * @module
 */
import { answers } from './answers.ts';
import { code } from './code.ts';
import { questions } from './questions.ts';
import { rules } from './rules.ts';
import { words } from './words.ts';

export const advisor: Readonly<Record<string, string>> = { ...questions, ...rules, ...answers, ...code, ...words };
