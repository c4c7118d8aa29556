/**
 * Spans of time as people write and read them: `30s` and `1m30s` on the command line, `2m 5s` in a table.
 *
 * @module
 */
import { UsageError } from './usage.ts';

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** What the timers of Node can wait: a little under 25 days. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Reads `500ms`, `30s`, `1m30s`, `1.5h` or `0` as milliseconds. A number without a unit is refused, since one reader in
 * two would take it for the other unit.
 */
export function parseDuration(option: string, text: string): number {
  if (text === '0') return 0;
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) {
    const example = /^\d+$/.test(text) ? `${text}s or ${text}ms` : '500ms, 30s or 1m30s';
    throw new UsageError(
      `${option} must be a duration with its unit, such as ${example}, and is ${JSON.stringify(text)}.`,
    );
  }
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * UNITS_MS[unit as keyof typeof UNITS_MS];
  }
  const ms = Math.round(total);
  if (ms > LONGEST_MS) throw new UsageError(`${option} must be at most ${formatDuration(LONGEST_MS)}, and is ${text}.`);
  return ms;
}

/** At most two units, the smaller one cut off and not rounded up: `850ms`, `12s`, `2m 5s`, `3h`, `2d 1h`. */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, Math.floor(ms));
  if (whole < UNITS_MS.s) return `${whole}ms`;
  // Short spans keep a digit, so that a TTL of 2.5 s is not called 2 s.
  if (whole < 10 * UNITS_MS.s && whole % UNITS_MS.s !== 0)
    return `${Math.floor(whole / 100) / 10}s`.replace('.0s', 's');
  const steps = [
    ['d', 'h'],
    ['h', 'm'],
    ['m', 's'],
  ] as const;
  for (const [large, small] of steps) {
    if (whole < UNITS_MS[large]) continue;
    const first = Math.floor(whole / UNITS_MS[large]);
    const second = Math.floor((whole % UNITS_MS[large]) / UNITS_MS[small]);
    return second === 0 ? `${first}${large}` : `${first}${large} ${second}${small}`;
  }
  return `${Math.floor(whole / UNITS_MS.s)}s`;
}
