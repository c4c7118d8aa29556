/**
 * The file of a benchmark: the one that `--bench` names, or the one that is found.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import { warn } from '../cli/stderr.ts';
import { UsageError } from '../cli/usage.ts';
import { type BenchFigures, readBenchFigures } from './bench-figures.ts';

/** Where `holdfast bench --json` is told to write, in the examples. */
const USUAL_FILE = 'holdfast-bench.json';

/** What was named; otherwise what stands in this folder, if it can be read. Throws a `UsageError` for what was named. */
export function benchFigures(named: string | undefined): BenchFigures | undefined {
  if (named !== undefined) return readBenchFile(named);
  if (!existsSync(USUAL_FILE)) return undefined;
  try {
    return readBenchFile(USUAL_FILE);
  } catch (error) {
    warn(`${USUAL_FILE} is left out: ${messageOf(error)}`);
    return undefined;
  }
}

/** Throws a `UsageError` that says what is wrong with it. `-` is standard input. */
function readBenchFile(file: string): BenchFigures {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new UsageError(`--bench ${file} cannot be read: ${messageOf(error)}`);
  }
  try {
    return readBenchFigures(JSON.parse(text));
  } catch (error) {
    throw new UsageError(`--bench ${file} ${error instanceof SyntaxError ? 'is not JSON: ' : ''}${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
