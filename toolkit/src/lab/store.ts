/**
 * Where runs lie. While a check-up runs, its histories and the logs of its servers are in a folder of their own under
 * the system's temporary folder, which goes with it. What is to stay goes to `holdfast-runs` in the current folder.
 *
 * @module
 */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../cli/usage.ts';
import type { Run } from './result.ts';

/** The text of `run.json`. */
export function toJson(run: Run): string {
  return `${JSON.stringify(run, null, 2)}\n`;
}

/**
 * Reads what `--json` wrote.
 *
 * Rejects files of another shape with a UsageError. What stands in a file is not trusted beyond that.
 */
export function readRun(file: string): Run {
  const text = readTextOf(file);
  let run: Partial<Run> | null;
  try {
    run = JSON.parse(text) as Partial<Run> | null;
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (run?.version !== 1 || !Array.isArray(run.results) || typeof run.machine !== 'object') {
    throw new UsageError(`${file} is not what holdfast checkup --json writes: it has no "version": 1 with results.`);
  }
  return { ...run, experiments: run.experiments ?? [], subjects: run.subjects ?? [] } as Run;
}

function readTextOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** Copies the histories and logs of a run, and its results, to a new folder, and gives its path. */
export function keepRun(temporary: string, run: Run, parent: string = path.resolve('holdfast-runs')): string {
  mkdirSync(parent, { recursive: true });
  const stamp = run.startedAt.replaceAll(':', '-').replace(/\..*$/, '');
  const folder = mkdtempSync(path.join(parent, `${stamp}-`));
  writeFileSync(path.join(folder, 'run.json'), toJson(run));
  for (const task of readdirSync(temporary, { withFileTypes: true })) {
    if (!task.isDirectory()) continue;
    const from = path.join(temporary, task.name);
    const files = readdirSync(from).filter((file) => /\.(jsonl|log)$/.test(file));
    if (files.length === 0) continue;
    mkdirSync(path.join(folder, task.name));
    for (const file of files) copyFileSync(path.join(from, file), path.join(folder, task.name, file));
  }
  return folder;
}
