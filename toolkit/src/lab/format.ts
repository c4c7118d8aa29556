/** Numbers and counts as people read them, in checks, timelines and headlines. */

/** `850 ms`, `1.98 s`, `31.2 s`. */
export function span(ms: number): string {
  if (ms < 1) return '0 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

/** What each hand-over of a lock took, as far as it was counted. */
export function handOverCost({
  handOverMs = 0,
  commandsPerHandover,
}: {
  readonly handOverMs?: number;
  readonly commandsPerHandover?: number;
}): string {
  const requests = commandsPerHandover === undefined ? '' : `${commandsPerHandover} requests and `;
  return `Each hand-over took ${requests}${span(handOverMs)}.`;
}

/** The one in the middle; 0 where there is none. */
export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
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
