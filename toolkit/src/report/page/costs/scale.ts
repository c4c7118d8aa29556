/**
 * Where a value stands on an axis of powers of ten: rates of a database and of a lock in memory are thousands of times
 * apart, and a difference of the same ratio is of the same length everywhere on it.
 *
 * @module
 */

export interface Scale {
  /** From 0 to 100, with room for a dot at both ends. */
  readonly percent: (value: number) => number;
  /** Powers of ten, with twos and fives where there is room. */
  readonly ticks: readonly number[];
}

const ROOM = 3;
const MOST_TICKS = 6;

/** The values that are to be seen; only those above nothing have a place. */
export function scaleOf(values: readonly number[]): Scale {
  const seen = values.filter((value) => value > 0 && Number.isFinite(value));
  const [low, high] = seen.length === 0 ? [1, 10] : [Math.min(...seen), Math.max(...seen)];
  const all = [1, 2, 5]
    .flatMap((digit) =>
      range(Math.floor(Math.log10(low)) - 1, Math.ceil(Math.log10(high))).map((power) => digit * 10 ** power),
    )
    .sort((one, other) => one - other);
  const from = all.findLast((tick) => tick <= low) ?? low;
  const to = all.find((tick) => tick >= high && tick > from) ?? high;
  const inside = all.filter((tick) => tick >= from && tick <= to);
  const powers = inside.filter((tick) => Number.isInteger(Math.round(Math.log10(tick) * 1e9) / 1e9));
  const span = Math.log10(to) - Math.log10(from);
  return {
    percent: (value) => ROOM + ((Math.log10(value) - Math.log10(from)) / span) * (100 - 2 * ROOM),
    ticks: inside.length <= MOST_TICKS ? inside : powers.length >= 2 ? powers : inside.slice(0, MOST_TICKS),
  };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
