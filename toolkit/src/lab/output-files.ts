/**
 * The files that a check-up writes when it is asked to: its results as data, and as a page.
 *
 * @module
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { benchFigures } from '../advise/bench-file.ts';
import { UsageError } from '../cli/usage.ts';
import { checkWritable } from '../cli/writable.ts';
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

/**
 * To be called before anything is run: throws a UsageError where a file could not be written, and reads what belongs on the
 * page, which may come by standard input and then comes once. What it gives writes the files of a run, and gives the lines
 * that say where they are, or how to have a page.
 */
export function prepareOutput({ json, report, bench, lang }: OutputFiles): (run: Run) => readonly string[] {
  if (json !== undefined && json !== '-') checkWritable('--json', json);
  if (report !== undefined) checkWritable('--report', report);
  else if (bench !== undefined) throw new UsageError('--bench is for the page: say with --report where to write it.');
  const figures = report === undefined ? undefined : benchFigures(bench);
  const speech = speechIn(lang);
  return (run) => {
    const lines: string[] = [];
    if (report === undefined) {
      lines.push(speech.text('reportHint'));
    } else {
      writeFileSync(report, reportPage(run, lang, figures));
      lines.push(speech.text('reportAt', { file: path.resolve(report) }));
    }
    if (json !== undefined && json !== '-') {
      writeFileSync(json, toJson(run));
      lines.push(speech.text('resultsAt', { file: path.resolve(json) }));
    }
    return lines;
  };
}
