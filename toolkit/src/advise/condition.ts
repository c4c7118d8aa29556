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

/** Numbers on both sides of every limit that a condition sets to an input, the other inputs staying as they are. */
export function numbersAround(condition: Condition, input: NumberInput, situation: Situation): readonly number[] {
  if ('all' in condition || 'any' in condition) {
    const parts = 'all' in condition ? condition.all : condition.any;
    return parts.flatMap((part) => numbersAround(part, input, situation));
  }
  if ('not' in condition) return numbersAround(condition.not, input, situation);
  if ('product' in condition) {
    if (!condition.product.includes(input)) return [];
    const [one, other] = condition.product;
    const factor = situation[one === input ? other : one];
    if (factor === 0) return [];
    const limit = Math.ceil(condition.atLeast / factor);
    return [limit, Math.max(0, limit - 1)];
  }
  if ('aboveInput' in condition || !('input' in condition) || condition.input !== input) return [];
  if ('above' in condition) return [condition.above, condition.above + 1];
  return 'below' in condition ? [condition.below, condition.below / 2] : [];
}
