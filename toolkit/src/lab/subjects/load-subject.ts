/**
 * Finds a subject by its name, in a user's file, or behind a user's command.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Subject } from '../subject.ts';
import { builtInSubject } from './built-in.ts';
import { commandSubject } from './command.ts';
import { ContractError, checkSubject } from './contract.ts';

/** The name of one of ours, a file, or a command. */
export type SubjectSource = string | { readonly command: string };

/** Rejects with a ContractError if there is no such subject, or if it has not the shape of one. */
export async function loadSubject(source: SubjectSource): Promise<Subject> {
  if (typeof source !== 'string') return commandSubject(source.command);
  const builtIn = builtInSubject(source);
  if (builtIn) return await builtIn.load();
  return checkSubject(await importFile(source), source);
}

async function importFile(file: string): Promise<unknown> {
  const absolute = path.resolve(file);
  if (!existsSync(absolute)) throw new ContractError(`There is no file ${absolute}.`);
  try {
    const module: { default?: unknown } = await import(pathToFileURL(absolute).href);
    return module.default;
  } catch (error) {
    throw new ContractError(`${file} could not be loaded: ${messageOf(error)}`, { cause: error });
  }
}

/** Longer messages are cut: a line of the history is written in one piece. */
const LONGEST_MESSAGE = 1_000;

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
}
