/**
 * What the benchmark has measured on this machine, as far as an answer can use it.
 *
 * @module
 */
import type { BenchResult, PairsResult } from '../bench/result.ts';
import type { BackendId } from './answers.ts';
import { count } from './format.ts';

export class NotABenchResult extends Error {
  override readonly name = 'NotABenchResult';
}

/** What `npm run bench -- --json FILE` has written; throws `NotABenchResult` for anything else. */
export function readBenchResult(value: unknown): BenchResult {
  const { version, pairs, handOvers, machine } = (value ?? {}) as Partial<BenchResult>;
  if (version !== 1 || !Array.isArray(pairs) || !Array.isArray(handOvers) || typeof machine !== 'object') {
    throw new NotABenchResult('is not a result of `npm run bench -- --json FILE`, version 1');
  }
  return value as BenchResult;
}

/** Lines about rate and latency; none where this bench has not measured that backend. */
export function measuredLines(bench: BenchResult, backend: BackendId, peakPerSecond: number): readonly string[] {
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
  const share = peakPerSecond / best;
  return share <= 1
    ? [`The peak of ${count(peakPerSecond)}/s is ${Math.max(1, Math.round(share * 100))} % of the best of these.`]
    : [
        `The peak of ${count(peakPerSecond)}/s is ${share.toFixed(1)} times the best of these: it takes several processes, and where the server is the limit several servers, each with a part of the names.`,
      ];
}

/** Where and when it was measured. */
export function aboutTheBench({ machine, startedAt, command, rounds }: BenchResult): string {
  return (
    `${machine.cpuModel}, ${machine.cpus} processors, Node ${machine.node}, ${machine.server}, everything on one machine; ` +
    `${startedAt.slice(0, 10)}, ${rounds} rounds of \`${command}\`, median (least to most).`
  );
}
