/**
 * Output for people and output for programs. The result goes to standard output, as text or with --json as one JSON
 * document and nothing else; everything else goes to standard error.
 *
 * @module
 */
import picocolors from 'picocolors';
import { EXIT_CODES } from './exit-codes.ts';
import { toFailure } from './failure.ts';

/** Narrower than this nothing lines up any more. */
const NARROWEST = 40;

/** The width to fit a table into: that of the terminal; a file or a pipe takes everything. */
export function outputWidth(): number {
  return process.stdout.isTTY ? Math.max(NARROWEST, process.stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
}

/** Colours only on a terminal that can show them, and only where the user has not set NO_COLOR. */
export const colors: ReturnType<typeof picocolors.createColors> = picocolors.createColors(
  process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb',
);

export function printLines(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

/** Fencing tokens, which are larger than a JSON number can be, become decimal strings. */
export function printJson(value: unknown): void {
  process.stdout.write(
    `${JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? String(item) : item), 2)}\n`,
  );
}

/** How long what was left open may keep a program that is done. */
const LEFT_OPEN_MS = 2_000;

/** Does the work of a command, and makes what goes wrong with it a message and an exit code. */
export async function conclude(json: boolean, work: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (error) {
    const { exit, message } = toFailure(error);
    process.exitCode = EXIT_CODES[exit].code;
    process.stderr.write(`holdfast: ${message}\n`);
    if (json) printJson({ error: { exit, exitCode: EXIT_CODES[exit].code, message } });
  }
  // As a connection to a server that died while it was started. Whoever reads slowly, as a pager, is still given everything.
  setTimeout(
    () => whenWritten(process.stdout, () => whenWritten(process.stderr, () => process.exit())),
    LEFT_OPEN_MS,
  ).unref();
}

/** A pipe that is full keeps in this process what does not fit, until somebody reads or nobody can any more. */
function whenWritten(stream: NodeJS.WriteStream, then: () => void): void {
  stream.write('', () => then());
}
