/**
 * What the page is given: a run, with lanes in place of histories. The page reads this and nothing else.
 *
 * @module
 */
import type { BenchFigures } from '../advise/bench-figures.ts';
import { headline } from '../lab/headline.ts';
import type { ExperimentSummary, Result, Run, SubjectSummary } from '../lab/result.ts';
import { unpackHistory } from '../lab/stored-history.ts';
import type { Language } from '../messages/language.ts';
import type { Lanes } from './lane.ts';
import { lanesOf } from './lanes.ts';

export interface PageResult extends Omit<Result, 'history'> {
  /** In one or two sentences, as the terminal says it. */
  readonly headline: string;
  /** Left out where the run kept no history. */
  readonly lanes?: Lanes;
}

export interface PageData extends Omit<Run, 'results' | 'version'> {
  /** The language that the page opens in. */
  readonly language: Language;
  readonly results: readonly PageResult[];
  /** What locks cost on this machine, where it was measured. */
  readonly bench?: BenchFigures;
}

export function pageDataOf(run: Run, language: Language, bench?: BenchFigures): PageData {
  const { results, startedAt, machine } = run;
  return {
    language,
    startedAt,
    machine,
    experiments: experimentsOf(run),
    subjects: subjectsOf(run),
    ...(bench ? { bench } : {}),
    results: results.map((result): PageResult => {
      const { history, ...rest } = result;
      const lanes = history && lanesOf(unpackHistory(history));
      return { ...rest, headline: headline(result), ...(lanes ? { lanes } : {}) };
    }),
  };
}

/** Those that the results name; a run that was written without summaries is shown as well. */
function experimentsOf({ experiments, results }: Run): readonly ExperimentSummary[] {
  const ids = [...new Set(results.map(({ experiment }) => experiment))];
  return ids.map((id) => experiments.find((one) => one.id === id) ?? { id, question: '' });
}

function subjectsOf({ subjects, results }: Run): readonly SubjectSummary[] {
  const names = [...new Set(results.map(({ subject }) => subject))];
  return names.map((name) => subjects.find((one) => one.name === name) ?? summaryOf(name));
}

function summaryOf(name: string): SubjectSummary {
  return { name, server: '', origin: name.startsWith('holdfast:') ? 'holdfast' : 'by-hand' };
}
