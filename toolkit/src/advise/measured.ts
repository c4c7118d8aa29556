/**
 * What a benchmark has measured on this machine, in sentences, as far as an answer can use it.
 *
 * @module
 */
import type { BenchBackendId } from '../bench/backends.ts';
import { inEnglish, type Say } from '../messages/say.ts';
import type { BackendId } from './answers.ts';
import type { BackendFigures, BenchFigures, RateFigures } from './bench-figures.ts';
import { count } from './format.ts';

/** Which of the measured backends an answer may be. None for session locks: the benchmark takes lock rows. */
export const MEASURED_AS: Readonly<Record<BackendId, readonly BenchBackendId[]>> = {
  memory: ['memory'],
  sqlite: ['sqlite'],
  redis: ['redis', 'redis-aof'],
  redlock: ['redlock'],
  etcd: ['etcd', 'etcd-3'],
  zookeeper: ['zookeeper', 'zookeeper-3'],
  sql: ['postgres', 'mysql'],
  'sql-session': [],
};

/** Lines about rate and latency; none where this backend was not measured. */
export function measuredLines(
  bench: BenchFigures,
  backend: BackendId,
  peakPerSecond: number,
  say: Say = inEnglish,
): readonly string[] {
  const measured: readonly string[] = MEASURED_AS[backend];
  const backends = bench.backends.filter(({ id }) => measured.includes(id));
  const lines = backends.flatMap((one) => linesOf(one, bench, say));
  return lines.length === 0 ? [] : [...lines, ...peakLines(backends, peakPerSecond, say)];
}

function linesOf({ server, what, subjects }: BackendFigures, { settings }: BenchFigures, say: Say): readonly string[] {
  const ours = subjects.find(({ id }) => id === 'holdfast');
  if (ours === undefined) return [];
  const { names, waiters, waitingProcesses: processes } = settings;
  const where = [server ?? '', say(what)].filter((part) => part !== '').join(', ');
  const { serial, concurrent, handOver } = ours;
  return [
    ...(serial ? [rateLine(where, say('one after the other'), serial, say)] : []),
    ...(concurrent
      ? [rateLine(where, say('{names} different locks at once, from one process', { names }), concurrent, say)]
      : []),
    ...(handOver
      ? [
          say('{where}: handed over among {waiters} waiters in {processes} processes: p50 {p50} ms.', {
            ...{ where, waiters, processes },
            p50: handOver.p50Ms.median.toFixed(2),
          }),
        ]
      : []),
  ];
}

function rateLine(where: string, how: string, { perSecond, p50Ms, p99Ms }: RateFigures, say: Say): string {
  const { median, min, max } = perSecond;
  const latency = [p50Ms && `, p50 ${p50Ms.median.toFixed(2)} ms`, p99Ms && `, p99 ${p99Ms.median.toFixed(2)} ms`];
  return say('{where}: {how}: {n}/s ({min} to {max}){latency}.', {
    ...{ where, how, n: count(median), min: count(min), max: count(max) },
    latency: latency.join(''),
  });
}

function peakLines(backends: readonly BackendFigures[], peakPerSecond: number, say: Say): readonly string[] {
  const ours = backends.flatMap(({ subjects }) => subjects.filter(({ id }) => id === 'holdfast'));
  const rates = ours.flatMap(({ serial, concurrent }) =>
    [serial, concurrent].map((rate) => rate?.perSecond.median ?? 0),
  );
  const best = Math.max(0, ...rates);
  if (best === 0 || peakPerSecond === 0) return [];
  const share = peakPerSecond / best;
  const peak = count(peakPerSecond);
  return share <= 1
    ? [say('The peak of {peak}/s is {n} % of the best of these.', { peak, n: Math.max(1, Math.round(share * 100)) })]
    : [
        say(
          'The peak of {peak}/s is {n} times the best of these: it takes several processes, and where the server is the limit several servers, each with a part of the names.',
          { peak, n: share.toFixed(1) },
        ),
      ];
}

/** Where and when it was measured. */
export function aboutTheBench({ machine, startedAt, command, settings }: BenchFigures, say: Say = inEnglish): string {
  const { cpuModel, cpus, node } = machine;
  return say(
    '{cpuModel}, {cpus} processors, Node {node}, everything on one machine; {date}, {rounds} rounds of `{command}`, median (least to most).',
    { cpuModel, cpus, node, date: startedAt.slice(0, 10), rounds: settings.rounds, command },
  );
}
