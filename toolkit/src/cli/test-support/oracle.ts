/**
 * Whether two commands were inside at once, from what they have written while they were.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const WORKER = fileURLToPath(new URL('./worker.mjs', import.meta.url));

/** The command line of a worker that stays inside for some time and says so. */
export function worker(
  log: string,
  name: string,
  forMs: number,
  ...wishes: ('ignore-term' | 'grandchild')[]
): string[] {
  return [process.execPath, WORKER, log, name, String(forMs), ...wishes];
}

export interface Line {
  readonly atMs: number;
  readonly name: string;
  readonly what: 'enter' | 'inside' | 'told' | 'leave';
}

export function readLog(file: string): Line[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return []; // nobody has been inside yet
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [at = '', name = '', what = ''] = line.split(' ');
      return { atMs: Number(BigInt(at)) / 1e6, name, what: what as Line['what'] };
    });
}

export interface Stay {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** From the first to the last sign of life of each name; with `untilTold` at most until it was asked to end. */
export function stays(lines: readonly Line[], { untilTold = false }: { untilTold?: boolean } = {}): Stay[] {
  const names = [...new Set(lines.map(({ name }) => name))];
  return names.map((name) => {
    const own = lines.filter((line) => line.name === name);
    const told = untilTold ? own.find(({ what }) => what === 'told') : undefined;
    const times = own.map(({ atMs }) => atMs);
    return { name, fromMs: Math.min(...times), toMs: told?.atMs ?? Math.max(...times) };
  });
}

/** Each pair of names that was inside at once, in words; none is right. */
export function overlaps(all: readonly Stay[]): string[] {
  const sorted = all.toSorted((one, other) => one.fromMs - other.fromMs);
  return sorted.flatMap((later, index) =>
    sorted
      .slice(0, index)
      .filter((earlier) => earlier.toMs >= later.fromMs)
      .map(
        (earlier) =>
          `${later.name} came in ${(earlier.toMs - later.fromMs).toFixed(1)} ms before ${earlier.name} was out`,
      ),
  );
}
