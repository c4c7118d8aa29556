/**
 * Conditions on a situation, as data: what rules are made of.
 *
 * @module
 */
import type { ChoiceInput, Input, ListInput, NumberInput, Situation } from './situation.ts';

export type Condition =
  | { readonly input: ChoiceInput; readonly is: readonly string[] }
  /** One of these at least. */
  | { readonly input: ListInput; readonly has: readonly string[] }
  | { readonly input: NumberInput; readonly above: number }
  | { readonly input: NumberInput; readonly below: number }
  | { readonly input: NumberInput; readonly aboveInput: NumberInput }
  /** A rate times a duration in ms: how much of every second one line is busy, in ms. */
  | { readonly product: readonly [NumberInput, NumberInput]; readonly atLeast: number }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition };

export function holds(condition: Condition, situation: Situation): boolean {
  if ('all' in condition) return condition.all.every((part) => holds(part, situation));
  if ('any' in condition) return condition.any.some((part) => holds(part, situation));
  if ('not' in condition) return !holds(condition.not, situation);
  if ('is' in condition) return condition.is.includes(situation[condition.input]);
  if ('has' in condition) {
    const present: readonly string[] = situation[condition.input];
    return condition.has.some((value) => present.includes(value));
  }
  if ('product' in condition) {
    const [one, other] = condition.product;
    return situation[one] * situation[other] >= condition.atLeast;
  }
  if ('aboveInput' in condition) return situation[condition.input] > situation[condition.aboveInput];
  return 'above' in condition
    ? situation[condition.input] > condition.above
    : situation[condition.input] < condition.below;
}

/** The inputs that a condition looks at, in order, each once. */
export function inputsOf(condition: Condition): readonly Input[] {
  if ('all' in condition || 'any' in condition) {
    const parts = 'all' in condition ? condition.all : condition.any;
    return [...new Set(parts.flatMap(inputsOf))];
  }
  if ('not' in condition) return inputsOf(condition.not);
  if ('product' in condition) return condition.product;
  return 'aboveInput' in condition ? [condition.input, condition.aboveInput] : [condition.input];
}

/** A number on one side of a limit that a condition sets. */
export interface Side {
  readonly value: number;
  readonly limit: number;
  readonly is: 'above' | 'below' | 'or more' | 'or less';
}

/** Both sides of every limit that a condition sets to an input, the other inputs staying as they are. */
export function sidesOf(condition: Condition, input: NumberInput, situation: Situation): readonly Side[] {
  if ('all' in condition || 'any' in condition) {
    const parts = 'all' in condition ? condition.all : condition.any;
    return parts.flatMap((part) => sidesOf(part, input, situation));
  }
  if ('not' in condition) return sidesOf(condition.not, input, situation);
  if ('product' in condition) {
    if (!condition.product.includes(input)) return [];
    const [one, other] = condition.product;
    const factor = situation[one === input ? other : one];
    if (factor === 0) return [];
    const limit = Math.ceil(condition.atLeast / factor);
    return [
      { value: limit, limit, is: 'or more' },
      { value: condition.atLeast / factor / 2, limit, is: 'below' },
    ];
  }
  if ('aboveInput' in condition || !('input' in condition) || condition.input !== input) return [];
  if ('above' in condition) {
    const limit = condition.above;
    return [
      { value: limit, limit, is: 'or less' },
      { value: limit + 1, limit, is: 'above' },
    ];
  }
  if (!('below' in condition)) return [];
  const limit = condition.below;
  return [
    { value: limit, limit, is: 'or more' },
    { value: limit / 2, limit, is: 'below' },
  ];
}
