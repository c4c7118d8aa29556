/**
 * The files that a check-up writes when it is asked to: its results as data, and as a page.
 *
 * @module
 */
import { accessSync, constants, writeFileSync } from 'node:fs';
import path from 'node:path';
import { benchFigures } from '../advise/bench-file.ts';
import { UsageError } from '../cli/usage.ts';
import type { Language } from '../messages/language.ts';
import { speechIn } from '../messages/speech.ts';
import { reportPage } from '../report/html.ts';
import type { Run } from './result.ts';
import { toJson } from './store.ts';

export interface OutputFiles {
  /** `-` is standard output. */
  readonly json?: string;
  readonly report?: string;
  /** What `--bench` names: figures for the page. */
  readonly bench?: string;
  readonly lang: Language;
}

/** Throws a UsageError, before anything is run, where a file could not be written. */
export function checkOutput({ json, report, bench }: OutputFiles): void {
  if (json !== undefined && json !== '-') checkWritable('--json', json);
  if (report !== undefined) checkWritable('--report', report);
  if (bench === undefined) return;
  if (report === undefined) throw new UsageError('--bench is for the page: say with --report where to write it.');
  benchFigures(bench);
}

/** Writes them, and gives the lines that say where they are, or how to have a page. */
export function writeOutput(run: Run, { json, report, bench, lang }: OutputFiles): readonly string[] {
  const speech = speechIn(lang);
  const lines: string[] = [];
  if (report === undefined) {
    lines.push(speech.text('reportHint'));
  } else {
    writeFileSync(report, reportPage(run, lang, benchFigures(bench)));
    lines.push(speech.text('reportAt', { file: path.resolve(report) }));
  }
  if (json !== undefined && json !== '-') {
    writeFileSync(json, toJson(run));
    lines.push(speech.text('resultsAt', { file: path.resolve(json) }));
  }
  return lines;
}

function checkWritable(option: string, file: string): void {
  try {
    accessSync(path.dirname(path.resolve(file)), constants.W_OK);
  } catch {
    throw new UsageError(`${option} ${file}: that folder does not exist, or cannot be written to.`);
  }
}
