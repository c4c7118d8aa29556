/**
 * Texts with gaps: `{name}` is filled with a value.
 *
 * @module
 */

const GAP = /\{(\w+)\}/g;

export type Values = Readonly<Record<string, string | number>>;

/** The text with its gaps filled; one without a value stays as it stands. */
export function fill(template: string, values: Values): string {
  return template.replace(GAP, (gap, name: string) => String(values[name] ?? gap));
}

/** The names of the gaps, in their order. */
export function gapsOf(template: string): readonly string[] {
  return [...template.matchAll(GAP)].map(([, name = '']) => name);
}
