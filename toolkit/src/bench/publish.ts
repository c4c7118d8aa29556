/**
 * What the benchmarks of whole backends have in common: the servers end with the run, and the figures come with the
 * command, the machine and its load.
 *
 * @module
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { endOnSignal } from '../lab/interrupt.ts';
import { Reaper } from '../lab/reaper.ts';
import { describeMachine, loadNow } from './machine.ts';
import { withFigures } from './page.ts';

/** Under what circumstances figures came about. */
export interface Circumstances {
  readonly startedAt: string;
  readonly command: string;
  readonly rounds: number;
  readonly machine: string;
  readonly loadBefore: number;
  readonly loadAfter: number;
}

export interface Publication<Measured> {
  /** The npm script, as in `npm run bench:sql`. */
  readonly script: string;
  readonly rounds: number;
  /** The page that gets the tables in place of those it has. */
  readonly markdown: string | undefined;
  measure(reaper: Reaper): Promise<Measured>;
  describe(measured: Measured, circumstances: Circumstances): string;
}

/** How many rounds were asked for. */
export function roundsOf(given: string | undefined, usual: number): number {
  const rounds = given === undefined ? usual : Number(given);
  if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError('--rounds must be a whole number from 1.');
  return rounds;
}

/** Measures, prints, and writes the page. Everything that was started ends with it. */
export async function publish<Measured>({ script, rounds, markdown, ...of }: Publication<Measured>): Promise<void> {
  const page = markdown === undefined ? undefined : readFileSync(markdown, 'utf8');
  const reaper = await Reaper.start();
  const interrupt = endOnSignal(reaper);
  try {
    const startedAt = new Date().toISOString();
    const loadBefore = loadNow();
    const measured = await interrupt.unlessInterrupted(of.measure(reaper));
    const { cpuModel, cpus, os, arch, node, loadAfter } = describeMachine(loadBefore);
    const args = process.argv.slice(2).join(' ');
    const text = of.describe(measured, {
      startedAt,
      command: `npm run ${script}${args === '' ? '' : ` -- ${args}`}`,
      rounds,
      machine: `${cpuModel}, ${cpus} processors, ${os} ${arch}; Node ${node}`,
      loadBefore,
      loadAfter,
    });
    process.stdout.write(`${text}\n`);
    if (markdown !== undefined && page !== undefined)
      writeFileSync(markdown, withFigures(page, text, `npm run ${script}`));
  } finally {
    interrupt.dispose();
    await reaper.close();
  }
}
