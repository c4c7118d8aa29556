/**
 * What `holdfast bench` has measured on this machine, as far as an answer can use it.
 *
 * @module
 */
import type { BackendFigures, BenchDocument, PairFigures, SubjectFigures } from '../bench/overview/document.ts';
import type { BackendId } from './answers.ts';
import { count } from './format.ts';

/** Which of the measured backends an answer is about. Session locks are not among what is measured. */
export const MEASURED_AS: Readonly<Record<BackendId, readonly BackendFigures['id'][]>> = {
  memory: ['memory'],
  sqlite: ['sqlite'],
  redis: ['redis', 'redis-aof'],
  redlock: ['redlock'],
  etcd: ['etcd', 'etcd-3'],
  zookeeper: ['zookeeper', 'zookeeper-3'],
  sql: ['postgres', 'mysql'],
  'sql-session': [],
};

interface Ours {
  readonly id: string;
  readonly what: string;
  readonly figures: SubjectFigures;
}

/** Lines about rate and latency; none where that backend was not measured. */
export function linesOfDocument(
  { backends, settings }: BenchDocument,
  backend: BackendId,
  peakPerSecond: number,
): readonly string[] {
  const ours = MEASURED_AS[backend].flatMap((id): readonly Ours[] => {
    const found = backends.find((one) => one.id === id);
    const figures = found?.subjects.find((subject) => subject.id === 'holdfast');
    return found === undefined || figures === undefined ? [] : [{ id, what: found.server ?? found.what, figures }];
  });
  const lines = ours.flatMap(({ id, what, figures }) => [
    ...rateLine(`${id} (${what}), one after the other`, figures.serial),
    ...rateLine(`${id}, ${settings.names} different locks at once, from one process`, figures.concurrent),
    ...handOverLine(id, figures, settings),
  ]);
  return [...lines, ...peakLine(ours, peakPerSecond)];
}

function rateLine(how: string, figures: PairFigures | null): readonly string[] {
  if (figures === null) return [];
  const { median, min, max } = figures.perSecond;
  const [p50, p99] = [figures.p50Ms.median.toFixed(2), figures.p99Ms.median.toFixed(2)];
  return [`${how}: ${count(median)}/s (${count(min)} to ${count(max)}), p50 ${p50} ms, p99 ${p99} ms.`];
}

function handOverLine(
  id: string,
  { handOver }: SubjectFigures,
  { waiters, waitingProcesses }: BenchDocument['settings'],
): readonly string[] {
  if (handOver === null) return [];
  const where = `${waiters} waiters in ${waitingProcesses} processes`;
  return [
    `${id}, handed over among ${where}: p50 ${handOver.p50Ms.median.toFixed(2)} ms, p99 ${handOver.p99Ms.toFixed(2)} ms.`,
  ];
}

function peakLine(ours: readonly Ours[], peakPerSecond: number): readonly string[] {
  const rates = ours.flatMap(({ figures }) => [figures.serial, figures.concurrent]);
  const best = Math.max(0, ...rates.map((figures) => figures?.perSecond.median ?? 0));
  return best === 0 || peakPerSecond === 0 ? [] : [shareLine(peakPerSecond, best)];
}

/** How the peak compares to the best rate that was measured. */
export function shareLine(peakPerSecond: number, best: number): string {
  const share = peakPerSecond / best;
  return share <= 1
    ? `The peak of ${count(peakPerSecond)}/s is ${Math.max(1, Math.round(share * 100))} % of the best of these.`
    : `The peak of ${count(peakPerSecond)}/s is ${share.toFixed(1)} times the best of these: it takes several processes, and where the server is the limit several servers, each with a part of the names.`;
}

/** Where and when it was measured. */
export function aboutTheDocument({ machine, startedAt, command, settings }: BenchDocument): string {
  return (
    `${machine.cpuModel}, ${machine.cpus} processors, Node ${machine.node}, everything on one machine; ` +
    `${startedAt.slice(0, 10)}, ${settings.rounds} rounds of \`${command}\`, median (least to most).`
  );
}
