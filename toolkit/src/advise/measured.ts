/**
 * What a benchmark has measured on this machine, as far as an answer can use it: `holdfast bench` for all backends, or
 * `npm run bench`, which looks at one Redis and at the core more closely.
 *
 * @module
 */
import type { BenchDocument } from '../bench/overview/document.ts';
import type { BenchResult, PairsResult } from '../bench/result.ts';
import type { BackendId } from './answers.ts';
import { count } from './format.ts';
import { aboutTheDocument, linesOfDocument, shareLine } from './measured-backends.ts';

export class NotABenchResult extends Error {
  override readonly name = 'NotABenchResult';
}

export type Measured = BenchResult | BenchDocument;

/** What `holdfast bench --json FILE` or `npm run bench -- --json FILE` has written; throws `NotABenchResult` for anything else. */
export function readBenchResult(value: unknown): Measured {
  const { document, version, backends, settings } = (value ?? {}) as Partial<BenchDocument>;
  if (document === 'holdfast bench' && version === 1 && Array.isArray(backends) && typeof settings === 'object') {
    return value as BenchDocument;
  }
  const { version: older, pairs, handOvers, machine } = (value ?? {}) as Partial<BenchResult>;
  if (older !== 1 || !Array.isArray(pairs) || !Array.isArray(handOvers) || typeof machine !== 'object') {
    throw new NotABenchResult(
      'is not a result of `npm run bench -- --json FILE` or `holdfast bench --json FILE`, version 1',
    );
  }
  return value as BenchResult;
}

/** Lines about rate and latency; none where this bench has not measured that backend. */
export function measuredLines(bench: Measured, backend: BackendId, peakPerSecond: number): readonly string[] {
  if ('document' in bench) return linesOfDocument(bench, backend, peakPerSecond);
  if (backend === 'memory') return bench.core === undefined ? [] : [rateLine(bench.core, 'core-acquire')].flat();
  if (backend !== 'redis') return [];
  const lines = bench.pairs.flatMap((pairs) => rateLine(pairs, 'acquire'));
  for (const { waiters, processes, holdMs, subjects } of bench.handOvers) {
    const { p50Ms, p95Ms } = subjects.holdfast;
    const where = processes === 1 ? 'one process' : `${processes} processes`;
    lines.push(
      `Handed over among ${waiters} waiters in ${where}, held for ${holdMs} ms: p50 ${p50Ms.median.toFixed(2)} ms, p95 ${p95Ms.median.toFixed(2)} ms.`,
    );
  }
  return [...lines, ...peakLines(bench, peakPerSecond)];
}

function rateLine({ names, subjects }: PairsResult, subject: 'acquire' | 'core-acquire'): readonly string[] {
  const figures = subjects[subject];
  if (figures === undefined) return [];
  const { median, min, max } = figures.perSecond;
  const how = names === 1 ? 'One after the other' : `${names} different locks at once, from one process`;
  const latency =
    figures.p50Ms === undefined
      ? ''
      : `, p50 ${figures.p50Ms.median.toFixed(2)} ms${figures.p99Ms === undefined ? '' : `, p99 ${figures.p99Ms.median.toFixed(2)} ms`}`;
  return [`${how}: ${count(median)}/s (${count(min)} to ${count(max)})${latency}.`];
}

function peakLines(bench: BenchResult, peakPerSecond: number): readonly string[] {
  const rates = bench.pairs.flatMap(({ subjects }) => subjects.acquire?.perSecond.median ?? []);
  const best = Math.max(0, ...rates);
  if (best === 0 || peakPerSecond === 0) return [];
  return [shareLine(peakPerSecond, best)];
}

/** Where and when it was measured. */
export function aboutTheBench(bench: Measured): string {
  if ('document' in bench) return aboutTheDocument(bench);
  const { machine, startedAt, command, rounds } = bench;
  return (
    `${machine.cpuModel}, ${machine.cpus} processors, Node ${machine.node}, ${machine.server}, everything on one machine; ` +
    `${startedAt.slice(0, 10)}, ${rounds} rounds of \`${command}\`, median (least to most).`
  );
}
