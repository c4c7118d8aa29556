/**
 * The command line of a benchmark that measures the same on servers of several kinds, one after the other.
 *
 * @module
 */
import { parseArgs } from 'node:util';
import type { Reaper } from '../lab/reaper.ts';
import { type Circumstances, publish, roundsOf } from './publish.ts';

export interface KindsBench<Kind extends string, Figures, Part extends string = never> {
  /** The npm script, as in `bench:sql`. */
  readonly script: string;
  /** What it measures, in a sentence. */
  readonly about: string;
  readonly kinds: readonly Kind[];
  /** What can be measured by itself, with `--part`. */
  readonly parts?: readonly Part[];
  /** Rounds with `--quick`. */
  readonly quickRounds: number;
  measure(kind: Kind, reaper: Reaper, rounds: number, isAsked: (part: Part) => boolean): Promise<Figures>;
  describe(figures: readonly Figures[], circumstances: Circumstances): string;
}

const USUAL_ROUNDS = 15;

/** Does what the command line asks for. An error is printed, and the exit code is 1. */
export async function runKindsBench<Kind extends string, Figures, Part extends string = never>(
  bench: KindsBench<Kind, Figures, Part>,
): Promise<void> {
  try {
    await measureAsAsked(bench);
  } catch (error) {
    process.stderr.write(`holdfast bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

async function measureAsAsked<Kind extends string, Figures, Part extends string>(
  bench: KindsBench<Kind, Figures, Part>,
): Promise<void> {
  const { script, about, quickRounds, parts = [] } = bench;
  const names = bench.kinds.join(' or ');
  const { values: options } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      only: { type: 'string' },
      ...(parts.length === 0 ? {} : { part: { type: 'string' as const } }),
      markdown: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (options.help) {
    process.stdout.write(`${about}

  npm run ${script} -- [options]

  --quick           fewer rounds: to see that it works, not to publish
  --rounds N        alternating rounds for each comparison (${USUAL_ROUNDS})
  --only KIND       ${names}
${parts.length === 0 ? '' : `  --part PART       only ${parts.join(', ')}; not with --markdown\n`}  --markdown FILE   writes the tables into this page, in place of those it has
`);
    return;
  }
  const rounds = roundsOf(options.rounds, options.quick ? quickRounds : USUAL_ROUNDS);
  const kinds = bench.kinds.filter((kind) => options.only === undefined || kind === options.only);
  if (kinds.length === 0) throw new RangeError(`--only must be ${names}.`);
  const part = 'part' in options ? options.part : undefined;
  if (part !== undefined && !parts.some((each) => each === part)) {
    throw new RangeError(`--part must be one of ${parts.join(', ')}.`);
  }
  if (part !== undefined && options.markdown !== undefined) {
    throw new RangeError('--part measures less than the page of --markdown has.');
  }
  await publish({
    script,
    rounds,
    markdown: options.markdown,
    measure: async (reaper) => {
      const figures: Figures[] = [];
      for (const kind of kinds)
        figures.push(await bench.measure(kind, reaper, rounds, (each) => part === undefined || each === part));
      return figures;
    },
    describe: bench.describe,
  });
}
