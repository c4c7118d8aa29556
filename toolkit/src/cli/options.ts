/**
 * What the commands that look at a live backend have in common: its URL, --json, and a help that ends with examples and
 * exit codes.
 *
 * @module
 */
import { type Command, Option } from 'commander';
import { ADDRESS_FORMS } from '../connect/address.ts';
import { LANGUAGES } from '../messages/language.ts';
import { type ExitName, exitCodeLines } from './exit-codes.ts';

export interface BackendOptions {
  readonly url?: string;
  readonly json?: true;
}

/** The environment variable is read here and not by commander, whose help prints the value of it. */
export function urlOf({ url }: { readonly url?: string }): string | undefined {
  return url ?? (process.env.HOLDFAST_URL || undefined);
}

export function urlOption(): Option {
  return new Option('--url <url>', 'where the locks are; HOLDFAST_URL says it without showing a password to `ps`');
}

export function jsonOption(): Option {
  return new Option('--json', 'print one JSON document, for programs');
}

export function langOption(what: string): Option {
  return new Option('--lang <language>', what).choices(LANGUAGES).default('en');
}

/** Notes are wrapped for a terminal of 80 columns. */
const NOTE_WIDTH = 78;

interface HelpEnd {
  readonly examples: readonly string[];
  readonly exits: readonly ExitName[];
  readonly notes?: readonly string[];
}

/** Puts the part under the options: where the locks can be, examples, exit codes, notes of one paragraph each. */
export function endHelpWith(command: Command, { examples, exits, notes = [] }: HelpEnd): Command {
  const indented = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n');
  return command.addHelpText('after', () => {
    const parts = [
      `URLs:\n${indented(ADDRESS_FORMS)}`,
      `Examples:\n${indented(examples)}`,
      `Exit codes:\n${exitCodeLines(exits).join('\n')}`,
      ...notes.map((note) => command.createHelp().boxWrap(note, NOTE_WIDTH)),
    ];
    return `\n${parts.join('\n\n')}`;
  });
}
