/**
 * Where runs lie. While a check-up runs, its histories and the logs of its servers are in a folder of their own under
 * the system's temporary folder, which goes with it. What is to stay goes to `holdfast-runs` in the current folder.
 *
 * @module
 */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Run } from './result.ts';

/** The text of `run.json`. */
export function toJson(run: Run): string {
  return `${JSON.stringify(run, null, 2)}\n`;
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
