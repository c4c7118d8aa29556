/** Numbers and counts as people read them, in checks, timelines and headlines. */

/** `850 ms`, `1.98 s`, `31.2 s`. */
export function span(ms: number): string {
  if (ms < 1) return '0 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

/** `1 stale write`, `3 stale writes`. */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

/** `1st`, `22nd`, `13th`. */
export function ordinal(n: number): string {
  const ending = n % 100 >= 11 && n % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${ending}`;
}

/** A point in time, counted from the first grant: `T+5.04s`; filled to stand in a column, `T+ 5.04s`. */
export function moment(ms: number, width = 0): string {
  return `T${ms < 0 ? '-' : '+'}${(Math.abs(ms) / 1000).toFixed(2).padStart(width)}s`;
}
