/**
 * Numbers in a sentence: `850 ms`, `15 s`, `1.5 s`, `2 min`; `5,000`. And as they are typed: `850ms`, `15s`, `2m`.
 *
 * @module
 */
export function formatMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms * 10) / 10} ms`;
  if (ms < 120_000) return `${Math.round(ms / 100) / 10} s`;
  return `${Math.round(ms / 6_000) / 10} min`;
}

export function count(value: number): string {
  const digits = value < 10 && !Number.isInteger(value) ? value.toFixed(2) : Math.round(value).toString();
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Read again it is the same number, to the millisecond. */
export function typedMs(ms: number): string {
  if (ms % 1_000 !== 0 || ms === 0) return `${ms}ms`;
  return ms % 60_000 === 0 && ms > 60_000 ? `${ms / 60_000}m` : `${ms / 1_000}s`;
}
