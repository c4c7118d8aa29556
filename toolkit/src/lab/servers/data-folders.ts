/**
 * Data folders of databases: made once for a check-up, since that takes seconds, and copied for each server.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Reaper } from '../reaper.ts';

const execute = promisify(execFile);

/** By check-up, then by the kind of server. */
const templates = new WeakMap<Reaper, Map<string, Promise<string>>>();

/** Gives the path of a new data folder inside `folder`. `make` fills an empty one; it is called for the first only. */
export async function copyOfTemplate(
  reaper: Reaper,
  kind: string,
  folder: string,
  make: (template: string) => Promise<void>,
): Promise<string> {
  const known = templates.get(reaper) ?? new Map<string, Promise<string>>();
  templates.set(reaper, known);
  const template = known.get(kind) ?? makeTemplate(path.join(reaper.folder, `template-${kind}`), make);
  known.set(kind, template);
  const data = path.join(folder, `${kind}-data`);
  // By the system's own tool: it keeps owners and rights.
  await run(['cp', '-a', await template, data]);
  return data;
}

async function makeTemplate(folder: string, make: (template: string) => Promise<void>): Promise<string> {
  mkdirSync(folder, { mode: 0o700 });
  await make(folder);
  return folder;
}

/** Runs a command to its end. Rejects with what it said. */
export async function run([file = '', ...args]: readonly string[]): Promise<void> {
  try {
    await execute(file, args, { cwd: '/' });
  } catch (error) {
    const said = String((error as { stderr?: string }).stderr ?? '').trim();
    throw new Error(`${path.basename(file)} failed${said === '' ? '' : `: ${said}`}.`, { cause: error });
  }
}
