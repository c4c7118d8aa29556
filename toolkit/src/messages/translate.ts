/**
 * Says a sentence of the lab in another language.
 *
 * Checkers, timeline and faults write English sentences into `run.json`, which is their record. Here such a sentence is
 * recognised by the template that it was made from, and its values are put into the template of the other language. A
 * sentence that is not known, such as the error of some client, stays as it is.
 *
 * @module
 */
import { sentences as english } from './en/sentences.ts';
import type { Language } from './language.ts';
import { fill, gapsOf } from './template.ts';
import { sentences as chinese } from './zh/sentences.ts';

/** Gaps that hold a text which is itself to be translated. */
const NESTED: ReadonlySet<string> = new Set(['says', 'proof', 'what', 'fault']);

/** What may stand in a gap of this name; anything, unless it is said here. */
const SHAPES: Readonly<Record<string, string>> = {
  n: '\\d[\\d.]*',
  m: '\\d[\\d.]*',
  nth: '\\d+(?:st|nd|rd|th)',
  span: '[\\d.]+ (?:ms|s)',
  other: '[\\d.]+ (?:ms|s)',
  time: 'T[-+][\\d.]+s',
  to: 'T[-+][\\d.]+s',
  hold: '\\S+',
  rival: '\\S+',
};

interface Pattern {
  readonly expression: RegExp;
  readonly gaps: readonly string[];
  readonly chinese: string;
}

export type Translate = (text: string) => string;

export function translator(language: Language): Translate {
  return language === 'en' ? (text) => text : toChinese;
}

/** Whether every part of it is known. */
export function isKnown(text: string): boolean {
  return partsOf(text).every((part) => recognise(part) !== undefined);
}

function toChinese(text: string): string {
  return partsOf(text)
    .map((part) => recognise(part) ?? part)
    .reduce((before, part) => (/[。；：]$/.test(before) ? before + part : `${before} ${part}`).trim(), '');
}

/** The whole, if it is known as it is; else its sentences. */
function partsOf(text: string): readonly string[] {
  if (recognise(text) !== undefined) return [text];
  return text.split(/(?<=[.!?]) +/);
}

const cache = new Map<string, string | undefined>();

function recognise(text: string): string | undefined {
  if (!cache.has(text)) cache.set(text, match(text));
  return cache.get(text);
}

function match(text: string): string | undefined {
  for (const { expression, gaps, chinese: template } of patterns()) {
    const found = expression.exec(text);
    if (!found) continue;
    const values = gaps.map((name, index) => [name, valueIn(name, found[index + 1] ?? '')] as const);
    return fill(template, Object.fromEntries(values));
  }
  return undefined;
}

function valueIn(name: string, value: string): string {
  if (name === 'nth') return value.replace(/\D+$/, '');
  return NESTED.has(name) ? toChinese(value) : value;
}

let compiled: readonly Pattern[] | undefined;

function patterns(): readonly Pattern[] {
  compiled ??= Object.entries(english).map(([key, template]) => ({
    expression: expressionOf(template),
    gaps: gapsOf(template),
    chinese: (chinese as Readonly<Record<string, string>>)[key] ?? template,
  }));
  return compiled;
}

/** `write(s)` stands for one and for many. */
function expressionOf(template: string): RegExp {
  const source = template
    .split(/(\{\w+\}|\(s\))/)
    .map((part) => {
      if (part === '(s)') return 's?';
      const [name] = gapsOf(part);
      return name === undefined ? part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : `(${SHAPES[name] ?? '.+?'})`;
    })
    .join('');
  return new RegExp(`^${source}$`, 's');
}
