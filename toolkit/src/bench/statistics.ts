/**
 * The few numbers that stand for many: a median with its extremes, a quantile, a ratio for each round.
 *
 * @module
 */

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The value below which the share `q` (0 to 1) of the values lies: one of them, never a mean of two. */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) throw new RangeError('There is no quantile of no values.');
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] as number;
}

/** The middle one, or halfway between the two in the middle. */
function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (lower === undefined || upper === undefined) throw new RangeError('There is no median of no values.');
  return (lower + upper) / 2;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: medianOf(values), min: quantile(values, 0), max: quantile(values, 1) };
}

/**
 * How one series compares to another, round by round: what disturbs the machine disturbs both halves of a round, so
 * that the spread of these ratios is smaller than that of the two series.
 */
export function ratios(ours: readonly number[], theirs: readonly number[]): Spread {
  if (ours.length !== theirs.length) throw new RangeError('A ratio needs both halves of every round.');
  return spreadOf(ours.map((value, round) => value / (theirs[round] as number)));
}
